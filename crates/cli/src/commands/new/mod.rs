//! `gguf new`: a file out of its description.

mod outcome;
mod read;
mod sources;

pub(super) use outcome::{MakeArgs, Outcome, Stop};
pub(super) use sources::{Found, Sources};

use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::{Builder, BuilderError, Data, DataSource, Described, Description};
use ggufkit::format::Plan;
use ggufkit::inspect::units;
use ggufkit::io::{FileId, Parts, Turned, obstacles, sink};

use super::edit::path_of;
use super::mend;
use super::progress::Bar;
use crate::failure::Failure;
use crate::out::{self, Out};
use crate::{FAILED, frame};

/// Make a file from a description: JSON or YAML, as `gguf dump --format json --arrays all` prints it
///
/// What a dump says of a head makes the same head again, byte for byte, where its layout is canonical. Of a description that a
/// person writes, `metadata` (key, type, value) and `tensors` (name, type, shape, source) are enough. Shapes are in the order
/// of GGUF, the row length first: the other way round than in NumPy, PyTorch and safetensors.
///
/// Data comes from where a tensor's `source` says, a path beside the description: "w.npy", {"file": "m.safetensors", "tensor":
/// "name"}, {"file": "m.gguf"}, {"file": "w.raw", "offset": 64}; a name tells what a file is, and all but .npy, .safetensors
/// and .gguf is bytes as they are to stand. Of tensors without a source it comes from --data-from, by their names.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf dump model.gguf --format json --arrays all > model.json\n  \
    gguf new again.gguf model.json --data-from model.gguf\n  gguf new model.gguf description.yaml --dry-run\n  \
    gguf new head.gguf model.json --no-data\n  jq '.files[0].header.endian = \"big\"' model.json | gguf new big.gguf - --zeros\n\n\
    The file is looked at with the rules of `gguf check` before it is written; errors stop it, unless --allow-errors.\n\n\
    Exit status: 0 done, 1 refused, 2 a file could not be read or written, or usage.")]
pub(crate) struct Args {
    /// The file to write
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The description; `-` is standard input
    #[arg(value_name = "DESCRIPTION")]
    description: PathBuf,
    /// Take the data of tensors without a source from this file, or from the set that it is in, by their names
    #[arg(long, value_name = "FILE")]
    data_from: Option<PathBuf>,
    /// Write zeros as the data of tensors without a source
    #[arg(long, conflicts_with = "data_from")]
    zeros: bool,
    /// Write the head alone: the file ends where the data would begin, and no loader takes it
    #[arg(long, conflicts_with_all = ["data_from", "zeros"])]
    no_data: bool,
    #[command(flatten)]
    how: MakeArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // The file is what was asked for: it is written whether or not anybody listens.
        out.hold();
        if self.output.as_os_str() == "-" {
            let failure = Failure::usage("standard-output", "a file is needed: OUT names the file to write");
            frame::refuse(out, "new", self.how.json, &failure)?;
            return Ok(FAILED);
        }
        let mut outcome = Outcome::new(self.description.clone(), self.output.clone());
        let stop = self.make(&mut outcome).err();
        outcome.end(out, "new", &self.how, stop.as_ref())
    }

    fn make(&self, outcome: &mut Outcome) -> Result<(), Stop> {
        let failed = |failure| Stop::failed(&self.description, failure);
        let json = read::description(&self.description).map_err(failed)?;
        let description = Description::from_json(&json).map_err(|error| {
            let message = format!("{}: {error}", out::path(&self.description));
            Stop::Refused(message, error.help)
        })?;
        drop(json);
        let mut sources = Sources::default();
        let found = self.find(&description, &mut sources)?;
        outcome.notes.extend(sources.notes());
        let mut parts = Parts::new();
        let starts = sources.join(&mut parts)?;
        let mut builder: Builder<'_> = description.builder();
        let mut turned = Vec::new();
        for (tensor, found) in description.tensors.iter().zip(found) {
            let Some(found) = found else {
                let (ty, dims) = described(tensor)?;
                outcome.put(&tensor.name, ty, dims, false);
                builder.tensor(&tensor.name, dims, ty, Data::Zeros);
                continue;
            };
            let (span, exchange) = found.place(&starts, description.endian)?;
            turned.extend(exchange.map(|exchange| (span, exchange)));
            outcome.put(&tensor.name, found.tensor_type, &found.dims, false);
            builder.tensor(&tensor.name, &found.dims, found.tensor_type, span);
        }
        let refused =
            |error: BuilderError| Stop::refused(format!("{}: {error}", out::path(&self.description)));
        let plan = if self.no_data { builder.plan_head() } else { builder.plan() }.map_err(refused)?;
        let preview = builder.plan_zeros().map_err(refused)?;
        self.tell(outcome, &description, &builder, &plan);
        let turned = Turned::new(&parts, turned).map_err(|error| failed(Failure::Io(error)))?;
        let unjudged = |error| Stop::failed(&self.output, Failure::Io(error));
        outcome.judge(&preview, &turned).map_err(unjudged)?;
        if outcome.breaks() && !self.how.allow_errors {
            let message = format!("{} would have errors", out::path(&self.output));
            return Err(Stop::Refused(message, Some("--allow-errors writes it nevertheless".to_owned())));
        }
        self.may_write(plan.len())?;
        if !self.how.dry_run {
            write(&plan, &turned, &self.output, self.how.force)?;
            outcome.written = true;
        }
        Ok(())
    }

    /// Where the data of each tensor is; `None` for zeros, and where there is to be none.
    fn find(&self, description: &Description, sources: &mut Sources) -> Result<Vec<Option<Found>>, Stop> {
        let folder = match self.description.parent() {
            Some(folder) if self.description.as_os_str() != "-" => folder,
            _ => Path::new(""),
        };
        let mut out = Vec::with_capacity(description.tensors.len());
        let mut without = None;
        for tensor in &description.tensors {
            out.push(match (&tensor.source, &self.data_from) {
                _ if self.no_data => None,
                (Some(from), _) => {
                    let path = path_of(&from.file).ok_or_else(|| Stop::refused("a source has no name"))?;
                    Some(sources.find(&folder.join(path), from, tensor)?)
                }
                (None, Some(path)) => Some(sources.find(path, &DataSource::default(), tensor)?),
                (None, None) => {
                    without = without.or(Some(tensor)).filter(|_| !self.zeros);
                    None
                }
            });
        }
        match without {
            None => Ok(out),
            Some(tensor) => Err(Stop::Refused(
                format!("tensor \"{}\" has no data", out::fit(&tensor.name, 80)),
                Some("give it a \"source\", or the call --data-from FILE, --zeros or --no-data".to_owned()),
            )),
        }
    }

    fn tell(&self, outcome: &mut Outcome, description: &Description, builder: &Builder<'_>, plan: &Plan) {
        let offsets = builder.offsets().unwrap_or_default();
        let moved = description.tensors.iter().zip(&offsets);
        if moved.clone().any(|(tensor, at)| tensor.offset.is_some_and(|told| told != *at)) {
            let text =
                "the offsets in the description are not those of the canonical layout, which is written";
            outcome.notes.push(text.to_owned());
        }
        let count = |n: usize, one: &str| {
            format!("{} {one}{}", units::count(n as u64), if n == 1 { "" } else { "s" })
        };
        outcome.what = format!(
            "version {}, {}-endian, {}, {}{}",
            description.version,
            description.endian.name(),
            count(description.kvs.len(), "key-value"),
            count(description.tensors.len(), "tensor"),
            if self.no_data { " without their data" } else { "" }
        );
        outcome.size = Some(plan.len());
    }

    /// Whether the file may stand there, as far as that can be told before.
    fn may_write(&self, size: u64) -> Result<(), Stop> {
        let there = FileId::at(&self.output).ok().flatten();
        let label = out::path(&self.output);
        let refused = |code, message| Err(Stop::failed(&self.output, Failure::usage(code, message)));
        if there.is_some() && there == FileId::at(&self.description).ok().flatten() {
            return refused("is-input", format!("{label} is the description itself: name another"));
        }
        obstacles::of_new(&self.output, size, self.how.force, false, [])
            .map_err(|error| Stop::failed(&self.output, mend::failure(error)))
    }
}

/// Type and shape, of a tensor that has no data to tell them.
fn described(tensor: &Described) -> Result<(ggufkit::format::spec::TensorType, &[u64]), Stop> {
    match (tensor.tensor_type, &tensor.dims) {
        (Some(ty), Some(dims)) => Ok((ty, dims)),
        _ => {
            let name = out::fit(&tensor.name, 80);
            Err(Stop::refused(format!(
                "tensor \"{name}\" has no type or no shape, and no source to tell them"
            )))
        }
    }
}

/// Writes a new file.
pub(super) fn write(
    plan: &Plan,
    source: &Turned<'_, Parts<'_>>,
    target: &Path,
    force: bool,
) -> Result<(), Stop> {
    let bar = Bar::begin(&out::path(target), plan.len());
    let done = sink::save(plan, source, target, force, &mut |now| {
        bar.at(now.done);
        Ok(())
    });
    bar.end();
    done.map_err(|error| Stop::failed(target, mend::failure(error)))
}
