//! `gguf merge`: the shards of a set into one file.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::shards::merge;
use ggufkit::io::sink::{self, Terms};
use ggufkit::io::{FileId, FileSource, Joined};

use super::progress::Bar;
use super::shards::{Answer, Made, Model, Wanted, names_folder, shown};
use crate::args::ReadArgs;
use crate::failure::Failure;
use crate::out::{Ink, Out};
use crate::{FAILED, frame};

/// Merge the shards of a model into one file
///
/// Name any shard, all of them, or the folder. They are compared with each other first: their numbers and counts, the total
/// of their tensors, names that occur twice, versions, byte orders and alignments. The inputs are only read; the output is
/// named by -o alone and is never one of them. The keys `split.*` go; a file that was split with `gguf split` comes back
/// byte for byte where its layout was canonical.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf merge model-00001-of-00003.gguf -o model.gguf\n  gguf merge model-*.gguf -o model.gguf\n  \
    gguf merge parts/ -o model.gguf --delete-inputs\n  gguf merge model-00002-of-00003.gguf --dry-run\n\n\
    Files that were joined with cat are no shards any more: `gguf repair --separate` cuts them apart.\n\n\
    Exit status: 0 done, 1 the files are no whole set (a shard is missing, tensors occur twice), 2 a file could not be read \
    or written, or usage."
)]
pub(crate) struct Args {
    /// Any shard of the set, all of them in any order, or their folder
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,
    /// The file to write
    #[arg(long, short, value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Keep keys that only later shards have, behind those of the first
    #[arg(long)]
    keep_extra: bool,
    /// Delete the shards when the file is on the disk and was read again and compared with them byte for byte
    #[arg(long, conflicts_with = "dry_run")]
    delete_inputs: bool,
    /// Say what would be written, with its exact bytes, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    /// Leave it to the system when the file reaches the disk, as cp does; not where a file is replaced
    #[arg(long, conflicts_with = "delete_inputs")]
    no_sync: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // The file is what was asked for: it is written whether or not anybody listens.
        out.hold();
        let refusal = match self.output.as_deref() {
            // What precedes the shards would be lost, and with --delete-inputs for good.
            _ if self.read.offset > 0 => Some(Failure::usage(
                "offset",
                "shards begin at the start of their files: --offset has no place here",
            )),
            output => output.and_then(no_file),
        };
        if let Some(failure) = refusal {
            frame::refuse(out, "merge", self.json, &failure)?;
            return Ok(FAILED);
        }
        let mut answer = Answer::of(self.files.first().map(PathBuf::from).unwrap_or_default());
        answer.deleted = Some(Vec::new());
        match Model::read(out, &self.files, self.read.options(), Wanted::Set)? {
            Ok(model) => self.make(out, &mut answer, &model)?,
            Err(stop) => {
                if answer.stop(stop) {
                    return Ok(FAILED);
                }
            }
        }
        answer.end(out, "merge", self.json)
    }

    fn make(&self, out: &mut Out, answer: &mut Answer, model: &Model) -> io::Result<()> {
        let Some(whole) = answer.whole(model, self.keep_extra) else { return Ok(()) };
        let plan = match merge(&whole) {
            Ok(plan) => plan,
            Err(error) => {
                answer.refuse(error, &model.files);
                return Ok(());
            }
        };
        let path = self.output.clone().unwrap_or_else(|| PathBuf::from("OUT"));
        let tensors = whole.tensors().iter().map(|tensor| tensor.name.to_vec()).collect();
        answer.made.push(Made { path: path.clone(), plan, tensors, done: false });
        if self.dry_run {
            return Ok(());
        }
        let joined = match model.joined() {
            Ok(joined) => joined,
            Err(error) => {
                answer.fail(&model.given, Failure::Io(error));
                return Ok(());
            }
        };
        let terms = Terms { replace: self.force, sync: !self.no_sync };
        answer.write(&joined, &shown(&path), terms);
        if self.delete_inputs && answer.is_good() {
            self.delete(out, answer, model, &joined, &path)?;
        }
        Ok(())
    }

    /// Deletes the inputs, once what was made of them is known to be all there.
    fn delete(
        &self,
        out: &mut Out,
        answer: &mut Answer,
        model: &Model,
        joined: &Joined<'_>,
        path: &Path,
    ) -> io::Result<()> {
        if let Err(message) = verified(answer, joined, path) {
            let text = format!("{message}; the inputs are kept");
            answer.fail(path, Failure::Io(io::Error::other(text)));
            return Ok(());
        }
        for file in &model.files {
            // What stands under the name by now may be another's.
            let same = FileId::at(&file.path).ok().flatten() == FileId::of(&file.source).ok();
            if !same {
                answer.fail(&file.path, Failure::Io(io::Error::other("is another file by now, and is kept")));
                continue;
            }
            let leads_to = fs::read_link(&file.path).ok();
            match fs::remove_file(&file.path) {
                Ok(()) => answer.deleted.get_or_insert_default().push(file.path.clone()),
                Err(error) => answer.fail(&file.path, Failure::Io(error)),
            }
            if let Some(leads_to) = leads_to {
                let text = format!(
                    "{} was a link; the file behind it stays: {}",
                    shown(&file.path),
                    shown(&leads_to)
                );
                out.message(Ink::Warn, "note", &text)?;
            }
        }
        Ok(())
    }
}

/// Whether the file at `path` is what was to be written there.
fn verified(answer: &Answer, joined: &Joined<'_>, path: &Path) -> Result<(), String> {
    let Some(made) = answer.made.first() else { return Err("nothing was written".to_owned()) };
    let file = FileSource::open(path).map_err(|error| error.to_string())?;
    let bar = Bar::begin("comparing", made.plan.len());
    let compared = sink::compare(&made.plan, joined, &file, &mut |now| {
        bar.at(now.done);
        Ok(())
    });
    bar.end();
    compared.map_err(|error| error.to_string())
}

/// Why nothing can be written there, whatever the inputs are.
fn no_file(output: &Path) -> Option<Failure> {
    if output.as_os_str() == "-" {
        return Some(Failure::usage("standard-output", "a file is needed: -o names the file to write"));
    }
    names_folder(output).then(|| {
        let message = format!("{} is a folder: -o names the file to write", shown(output));
        Failure::usage("is-folder", message)
    })
}
