//! `gguf template unset`: chat templates go.

use std::ffi::OsString;
use std::io;

use ggufkit::check::template::DEFAULT_KEY;
use ggufkit::edit::Operation;

use super::super::edit::{EditArgs, Job};
use super::set::NAMES;
use crate::out::Out;

/// Take chat templates out of a file: the default one, one of another name, or all
///
/// One with a name leaves tokenizer.chat_templates, too.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf template unset model.gguf\n  gguf template unset model.gguf tool_use\n  \
    gguf template unset model.gguf --all --dry-run\n\n\
    Exit status: 0 done, 1 refused (there is none), 2 a file could not be read or written, or usage."
)]
pub(super) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: OsString,
    /// The template of this name (`default`: the one without a name)
    #[arg(value_name = "NAME", default_value = "default")]
    name: String,
    /// All of them
    #[arg(long, conflicts_with = "name")]
    all: bool,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(super) fn run(self, out: &mut Out) -> io::Result<u8> {
        let operations = match self.name.as_str() {
            _ if self.all => {
                let clear =
                    |pattern: String| Operation::Clear { pattern: pattern.into_bytes(), except: Vec::new() };
                [DEFAULT_KEY.to_owned(), format!("{DEFAULT_KEY}.*"), NAMES.to_owned()].map(clear).into()
            }
            "default" => vec![Operation::Unset(DEFAULT_KEY.into())],
            name => vec![
                Operation::Unset(format!("{DEFAULT_KEY}.{name}").into_bytes()),
                Operation::Unlist { key: NAMES.into(), item: name.into() },
            ],
        };
        let files = [self.file];
        Job { command: "template unset", files: &files, operations: &operations, how: &self.how }.run(out)
    }
}
