//! `gguf split`: a model into a set of shards, or a set into another one.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::shards::{By, Split, split};
use ggufkit::format::naming::{parse_shard_suffix, shard_name};
use ggufkit::format::{Limits, Options};
use ggufkit::io::sink::Terms;

use super::shards::{Answer, Made, Model, Wanted, names_folder, shown};
use crate::args::{bytes, number};
use crate::failure::Failure;
use crate::out::Out;
use crate::{FAILED, frame};

/// What the first shard holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum First {
    /// The metadata and the first tensors
    #[default]
    Tensors,
    /// The metadata alone
    Metadata,
}

/// Split a model into shards that llama.cpp loads, or a set of shards into another one
///
/// All files are written, or none: they get their names when all of them are whole and on the disk. Tensors keep their
/// order and their bytes; `gguf merge` gives the original file back, byte for byte where its layout was canonical.
/// The limit of --max-size holds for the whole file, its metadata and padding included.
#[derive(clap::Args, Debug)]
#[command(
    group = clap::ArgGroup::new("by").required(true).args(["max_size", "max_tensors", "shards"]),
    after_help = "Examples:\n  gguf split model.gguf -o parts/ --max-size 4GiB\n  \
    gguf split model.gguf -o model-q4 --max-tensors 128\n  gguf split model.gguf -o model --shards 4 --first-shard metadata\n  \
    gguf split big-00001-of-00009.gguf -o big --max-size 2G      # a set into another one\n  \
    gguf split model.gguf --shards 3 --dry-run\n\n\
    Sizes: 500MB, 2G and 2GB are decimal, 512MiB and 2GiB are binary, a number alone is bytes.\n\n\
    Exit status: 0 done, 1 it cannot be split so (a tensor larger than the limit, shards that are missing), 2 a file could \
    not be read or written, or usage."
)]
pub(crate) struct Args {
    /// The file; of a shard set, any shard, or all of them
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,
    /// What the shards' names begin with, as in PREFIX-00001-of-00003.gguf; or a folder, where they are named after FILE
    #[arg(long, short, value_name = "PREFIX", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// At most so many bytes in a file: 2G, 2GiB, 500MB, 123456
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_size: Option<u64>,
    /// At most so many tensors in a file
    #[arg(long, value_name = "N", value_parser = positive)]
    max_tensors: Option<u64>,
    /// So many files, as even as they can be
    #[arg(long, value_name = "N", value_parser = positive)]
    shards: Option<u64>,
    /// What the first file holds
    #[arg(long, value_enum, default_value = "tensors", value_name = "WHAT")]
    first_shard: First,
    /// A tensor that is larger than the limit gets a file of its own
    #[arg(long, requires = "max_size")]
    allow_larger: bool,
    /// Of a set: keep keys that only later shards have, behind those of the first
    #[arg(long)]
    keep_extra: bool,
    /// Say what would be written, with the exact bytes of each file, and what stands in the way, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Leave it to the system when the files reach the disk, as cp does; not where files are replaced
    #[arg(long)]
    no_sync: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Limit on the head's size in bytes (default 1073741824, 1 GiB)
    #[arg(long, value_name = "BYTES", value_parser = number, help_heading = "Limits")]
    max_head: Option<u64>,
}

fn positive(text: &str) -> Result<u64, String> {
    match number(text)? {
        0 => Err("must be at least 1".to_owned()),
        n => Ok(n),
    }
}

fn size(text: &str) -> Result<u64, String> {
    match bytes(text)? {
        0 => Err("must be at least 1 byte".to_owned()),
        n => Ok(n),
    }
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // The files are what was asked for: they are written whether or not anybody listens.
        out.hold();
        let model = match Model::read(out, &self.files, self.reading(), Wanted::Any)? {
            Ok(model) => model,
            Err(stop) => {
                let mut answer = Answer::of(self.files.first().map(PathBuf::from).unwrap_or_default());
                if answer.stop(stop) {
                    return Ok(FAILED);
                }
                return answer.end(out, "split", self.json);
            }
        };
        let mut answer = Answer::of(model.given.clone());
        let Some(prefix) = self.prefix(&model) else {
            let message = "the name that the shards begin with is empty: -o PREFIX, or -o FOLDER/";
            frame::refuse(out, "split", self.json, &Failure::usage("no-prefix", message))?;
            return Ok(FAILED);
        };
        self.make(&mut answer, &model, &prefix);
        answer.end(out, "split", self.json)
    }

    /// How the heads are read. Here --max-tensors is no limit on what a head may say; its length bounds all that is in it.
    fn reading(&self) -> Options {
        let mut limits = Limits::default();
        limits.max_head = self.max_head.unwrap_or(limits.max_head);
        [limits.max_kv, limits.max_tensors, limits.max_string, limits.max_array] = [limits.max_head; 4];
        Options::new().with_limits(limits)
    }

    fn by(&self) -> By {
        match (self.max_size, self.max_tensors, self.shards) {
            (Some(max), ..) => By::Size { max, allow_larger: self.allow_larger },
            (_, Some(n), _) => By::Tensors(n),
            (.., n) => By::Shards(n.unwrap_or(1)),
        }
    }

    fn make(&self, answer: &mut Answer, model: &Model, prefix: &Path) {
        let Some(whole) = answer.whole(model, self.keep_extra) else { return };
        let how = Split { by: self.by(), metadata_first: self.first_shard == First::Metadata };
        let shards = match split(&whole, &how) {
            Ok(shards) => shards,
            Err(error) => return answer.refuse(error, &model.files),
        };
        let count = u32::try_from(shards.len()).unwrap_or(u32::MAX);
        let names = |shard: std::ops::Range<usize>| {
            let tensors = whole.tensors().get(shard).unwrap_or_default();
            tensors.iter().map(|tensor| tensor.name.to_vec()).collect()
        };
        for (no, shard) in (1..).zip(shards) {
            let mut path = prefix.as_os_str().to_owned();
            path.push(shard_name("", no, count));
            let made =
                Made { path: path.into(), tensors: names(shard.tensors), plan: shard.plan, done: false };
            answer.made.push(made);
        }
        answer.look(&model.files, self.force, self.output.as_deref().is_some_and(names_folder));
        if self.dry_run || !answer.is_good() {
            return;
        }
        let joined = match model.joined() {
            Ok(joined) => joined,
            Err(error) => return answer.fail(&model.given, Failure::Io(error)),
        };
        // A folder that is named as one may be new.
        if let Some(folder) = self.output.as_deref().filter(|output| names_folder(output))
            && let Err(error) = fs::create_dir_all(folder)
        {
            return answer.fail(folder, Failure::Io(error));
        }
        answer.write(&joined, &shown(prefix), Terms { replace: self.force, sync: !self.no_sync });
    }

    /// What all names begin with, the folder included; `None` where that is nothing.
    fn prefix(&self, model: &Model) -> Option<PathBuf> {
        let own = stem(model.given.file_name().unwrap_or_else(|| OsStr::new("model")));
        let own = match model.files.first() {
            // A folder was named, or a list: the files have the name.
            Some(file) if model.given.is_dir() => stem(file.path.file_name().unwrap_or_default()),
            _ => own,
        };
        let Some(output) = self.output.as_deref() else { return Some(own.into()) };
        if names_folder(output) {
            return Some(output.join(own));
        }
        let name = stem(output.file_name()?);
        (!name.is_empty()).then(|| output.with_file_name(name))
    }
}

/// A file's name without what the shards' names add to it, and without `.gguf`.
pub(super) fn stem(name: &OsStr) -> OsString {
    let Some(text) = name.to_str() else { return name.to_owned() };
    match parse_shard_suffix(text) {
        Some(suffix) => suffix.prefix.into(),
        None => text.strip_suffix(".gguf").unwrap_or(text).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_the_shards_add() {
        for (name, left) in [
            ("m.gguf", "m"),
            ("m", "m"),
            ("m-00002-of-00003.gguf", "m"),
            ("m.Q4.gguf", "m.Q4"),
            (".gguf", ""),
        ] {
            assert_eq!(stem(OsStr::new(name)), left);
        }
    }
}
