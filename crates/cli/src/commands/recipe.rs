//! `gguf recipe`: the types of a file as rules for another one.

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;

use ggufkit::format::ByteStr;
use ggufkit::format::spec::FileType;
use ggufkit::inspect::json::JsonText;
use ggufkit::values::mixture::Shape;
use ggufkit::values::mixture::recipe::Recipe;
use serde_json::json;

use super::shards::{Answer, Model, Wanted};
use crate::FAILED;
use crate::args::ReadArgs;
use crate::json::{self, Files};
use crate::out::Out;

/// The types of a file's tensors as a recipe, by which `gguf quantize --recipe` makes another file
///
/// One line per rule: a regular expression and a type; the first that fits a name counts. Tensors of all layers that have one
/// type are one rule, so that the recipe of a model fits others of its architecture.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf recipe model-q4.gguf\n  gguf recipe model-q4.gguf > q4.recipe\n  \
    gguf quantize other-f16.gguf --recipe q4.recipe -o other-q4.gguf\n\n\
    Exit status: 0 done, 1 the files are no whole set, 2 a file could not be read, or usage.")]
pub(crate) struct Args {
    /// The file; of a shard set, any shard
    #[arg(value_name = "FILE")]
    file: OsString,
    /// What is no option here
    #[arg(long, short, hide = true)]
    output: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        if let Some(output) = &self.output {
            let help = format!("recipes go to standard output: > {}", crate::out::path(output));
            let message = "a recipe is printed, and not written into a file".to_owned();
            let failure = crate::failure::Failure::Usage { code: "output", message, help: Some(help) };
            crate::frame::refuse(out, "recipe", self.json, &failure)?;
            return Ok(FAILED);
        }
        let mut answer = Answer::of(PathBuf::from(&self.file));
        let model =
            match Model::read(out, std::slice::from_ref(&self.file), self.read.options(), Wanted::Any)? {
                Ok(model) => Some(model),
                Err(stop) => {
                    if answer.stop(stop) {
                        return Ok(FAILED);
                    }
                    None
                }
            };
        let recipe = model.as_ref().map(recipe_of);
        if self.json {
            let rules = recipe.iter().flat_map(|recipe| &recipe.rules);
            let rules = rules.map(
                |rule| json!({ "pattern": rule.pattern.as_str(), "type": rule.tensor_type.to_string() }),
            );
            let kept = recipe.iter().flat_map(|recipe| &recipe.left_out);
            let kept =
                kept.map(|(name, ty)| json!({ "name": JsonText(ByteStr(name)), "type": ty.to_string() }));
            let file_type = recipe.as_ref().and_then(|recipe| recipe.file_type);
            let file = json!({
                "path": json::path(&answer.given),
                "file_type": file_type.map(|ty| ty.to_string()),
                "rules": rules.collect::<Vec<_>>(),
                "kept": kept.collect::<Vec<_>>(),
                "refused": answer.refused.iter().map(super::shards::say::reason_json).collect::<Vec<_>>(),
                "errors": answer.failed.iter().map(crate::failure::Failed::json).collect::<Vec<_>>(),
            });
            let mut files = Files::begin(out, "recipe", true)?;
            files.add(out, &file)?;
            files.end(out)?;
        } else {
            // Patterns have nothing in them that a terminal would obey.
            if let Some(recipe) = &recipe {
                write!(out, "{recipe}")?;
                out.flush()?;
            }
            super::shards::say::reasons(out, &answer)?;
            crate::frame::report(out, &answer.failed)?;
        }
        Ok(answer.status())
    }
}

fn recipe_of(model: &Model) -> Recipe {
    let mut shapes = Vec::new();
    for file in &model.files {
        let view = file.view();
        let index = view.index();
        shapes.extend(view.tensors().map(|(name, tensor)| Shape {
            name: name.0,
            dims: index.dims(tensor),
            tensor_type: tensor.tensor_type,
        }));
    }
    let stated = model.files.first().and_then(|file| file.view().get("general.file_type")?.as_u64());
    let file_type = stated.and_then(|number| u32::try_from(number).ok()).map(FileType);
    Recipe::of(file_type, &shapes)
}
