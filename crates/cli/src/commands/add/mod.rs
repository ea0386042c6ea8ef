//! `gguf add`: tensors into a file that is there.

mod set;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::preview::Planned;
use ggufkit::edit::{DataSource, Described, Document, Done, EditError, members};
use ggufkit::format::spec::TensorType;
use ggufkit::format::{Options, ReadAt as _, View};
use ggufkit::io::{FileSource, HeadBuffer, Parts, ShardSet, Turned, diagnose, obstacles, replace};

use self::set::Others;
use super::edit::{lost, path_of, replace_failure, told};
use super::mend;
use super::new::{Found, MakeArgs, Outcome, Sources, Stop, write};
use super::progress::Bar;
use super::shards::incomplete;
use crate::failure::Failure;
use crate::out::{self, Out};
use crate::{FAILED, frame};

/// Add tensors to a file, from NumPy's files, safetensors, other GGUF files, or bytes
///
/// A source is told by its name: `.npy`, `.safetensors` and `.gguf` say type and shape of what they hold; all else is bytes as
/// they are to stand, of --type and --shape. Of files with several tensors, `SOURCE:tensor` names the one that is meant; without
/// it, it is the one of the same NAME. New tensors stand behind the others; the data is laid out anew, in the canonical form.
/// Without -o the new file takes the place of FILE when it is whole. In a file of a set, the number of tensors follows in all others.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf add model.gguf rope_freqs.weight=freqs.npy -o with.gguf\n  \
    gguf add model.gguf output.weight=model.safetensors:lm_head.weight\n  \
    gguf add model.gguf token_embd.weight=other.gguf --replace\n  \
    gguf add model.gguf scale=scale.raw --type F32 --shape 4096,2 --dry-run\n\n\
    What `gguf check` would find in the new file and does not find now is said before; errors stop it.\n\n\
    Exit status: 0 done, 1 refused, 2 a file could not be read or written, or usage.")]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A tensor's name, and the file that has its data
    #[arg(value_name = "NAME=SOURCE[:TENSOR]", required = true)]
    tensors: Vec<OsString>,
    /// Write the new file here, and leave the input as it is
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Put a tensor in the place of the one that has its name
    #[arg(long)]
    replace: bool,
    /// Take a shard as a file of its own
    #[arg(long)]
    alone: bool,
    /// Type of the tensors whose source is nothing but bytes (F32, Q8_0)
    #[arg(long, value_name = "TYPE", value_parser = tensor_type)]
    r#type: Option<TensorType>,
    /// Their shape, the row length first
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    shape: Option<Vec<u64>>,
    #[command(flatten)]
    how: MakeArgs,
}

fn tensor_type(name: &str) -> Result<TensorType, String> {
    TensorType::from_name(name).ok_or_else(|| "is no type of tensors: F32, F16, Q8_0, …".to_owned())
}

/// A tensor that is to be added.
struct Wanted {
    tensor: Described,
    path: PathBuf,
    from: DataSource,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        out.hold();
        let wanted = match self.wanted() {
            Ok(wanted) => wanted,
            Err(failure) => {
                frame::refuse(out, "add", self.how.json, &failure)?;
                return Ok(FAILED);
            }
        };
        frame::recover(out, [self.file.as_path()].into_iter())?;
        let output = self.output.clone().unwrap_or_else(|| self.file.clone());
        let mut outcome = Outcome::new(self.file.clone(), output);
        outcome.listed = true;
        let stop = self.make(&mut outcome, &wanted).err();
        outcome.end(out, "add", &self.how, stop.as_ref())
    }

    fn wanted(&self) -> Result<Vec<Wanted>, Failure> {
        let one = |word: &OsString| {
            let bytes = word.as_encoded_bytes();
            let parts = bytes.iter().position(|&byte| byte == b'=').and_then(|at| bytes.split_at_checked(at));
            let wrong = || {
                let message = format!("{} names no tensor and its source", out::fit(bytes, 60));
                Failure::Usage {
                    code: "no-assignment",
                    message,
                    help: Some("write NAME=SOURCE, or NAME=SOURCE:TENSOR".to_owned()),
                }
            };
            let (name, source) = parts.ok_or_else(wrong)?;
            let (file, tensor) = split(source.get(1..).unwrap_or_default());
            let path = path_of(file).filter(|_| !name.is_empty() && !file.is_empty()).ok_or_else(wrong)?;
            let tensor = tensor.map(<[u8]>::to_vec);
            // Type and shape are for those that do not say them.
            let is_raw = !["npy", "safetensors", "gguf"].iter().any(|ext| has_extension(file, ext));
            Ok(Wanted {
                tensor: Described {
                    name: name.to_vec(),
                    tensor_type: self.r#type.filter(|_| is_raw),
                    dims: self.shape.clone().filter(|_| is_raw),
                    source: None,
                    offset: None,
                },
                from: DataSource { file: file.to_vec(), tensor, offset: None },
                path,
            })
        };
        self.tensors.iter().map(one).collect()
    }

    fn make(&self, outcome: &mut Outcome, wanted: &[Wanted]) -> Result<(), Stop> {
        let failed = |failure| Stop::failed(&self.file, failure);
        if self.output.is_none() && self.file.symlink_metadata().is_ok_and(|file| file.is_symlink()) {
            let message =
                format!("{} is a link: name the file, or write another one with -o", out::path(&self.file));
            return Err(failed(Failure::usage("symbolic-link", message)));
        }
        let source = frame::source(&self.file).map_err(|error| failed(Failure::Io(error)))?;
        if let Some((message, help)) =
            ShardSet::discover(&self.file).filter(|_| !self.alone).as_ref().and_then(incomplete)
        {
            return Err(Stop::Refused(message, Some(help)));
        }
        let mut buffer = HeadBuffer::new();
        let read = buffer.read(&source, Options::new()).map_err(|error| failed(Failure::Io(error)))?;
        if let Some(error) = &read.error {
            let diagnosis = diagnose(&source, Options::new(), &read, buffer.bytes());
            let diagnosis = diagnosis.map_err(|error| failed(Failure::Io(error)))?;
            return Err(failed(Failure::of_parse(error.clone(), read.index.as_ref(), &diagnosis)));
        }
        let (Some(index), Some(size)) = (&read.index, source.size()) else {
            return Err(failed(Failure::usage("no-length", "a file whose length is known is needed")));
        };
        let edit = |error: EditError| Stop::refused(format!("{}: {error}", out::path(&self.file)));
        let mut document = Document::of(View::new(index, buffer.bytes()), size).map_err(edit)?;
        let mut sources = Sources::default();
        let mut found = Vec::new();
        for one in wanted {
            found.push(sources.find(&one.path, &one.from, &one.tensor)?);
        }
        let mut parts = Parts::new();
        parts.file(&source).map_err(|error| failed(Failure::Io(error)))?;
        let starts = sources.join(&mut parts)?;
        let mut turned = Vec::new();
        self.add(&mut document, outcome, wanted, &found, &mut |found, document| {
            let (span, exchange) = found.place(&starts, document.endian())?;
            turned.extend(exchange.map(|exchange| (span, exchange)));
            Ok(span)
        })?;
        let added = outcome.tensors.iter().filter(|put| !put.replaced).count() as u64;
        let names: Vec<&[u8]> = wanted.iter().map(|one| one.tensor.name.as_slice()).collect();
        let mut others = None;
        if !self.alone && self.output.is_none() {
            others = Others::plan(&self.file, &names, (0, added))?;
            members::recount(&mut document, 0, if others.is_some() { added } else { 0 }).map_err(edit)?;
        } else if !self.alone && ShardSet::discover(&self.file).is_some_and(|set| set.present().len() > 1) {
            let message = format!("{} is one file of a set, and -o names one file", out::path(&self.file));
            let help = "without -o the set is changed; --alone takes the shard as a file of its own";
            return Err(Stop::Refused(message, Some(help.to_owned())));
        }
        let plan = document.plan().map_err(edit)?;
        let turned = Turned::new(&parts, turned).map_err(|error| failed(Failure::Io(error)))?;
        let replaced = outcome.tensors.iter().filter(|put| put.replaced).count();
        let added = outcome.tensors.len().saturating_sub(replaced);
        let tensors = |n: usize| format!("{n} tensor{}", if n == 1 { "" } else { "s" });
        outcome.what = match (added, replaced) {
            (added, 0) => format!("{} added", tensors(added)),
            (0, replaced) => format!("{} replaced", tensors(replaced)),
            (added, replaced) => format!("{} added, {replaced} replaced", tensors(added)),
        };
        outcome.size = Some(plan.len());
        let lost = lost(&document, &plan, &source).map_err(|error| failed(Failure::Io(error)))?;
        outcome.notes.extend(told(&lost));
        let done: Vec<Done> = outcome.tensors.iter().map(|put| done(&put.name)).collect();
        let said = set::judge(&self.file, &source, &Planned::new(&plan, &turned), others.as_ref(), &done)
            .map_err(|error| failed(Failure::Io(error)))?;
        (outcome.worse, outcome.lost) = (said.worse, said.lost);
        if let Some(changed) = others.as_ref().map(Others::changed).filter(|changed| *changed > 0) {
            let files = if changed == 1 { "file" } else { "files" };
            outcome.notes.push(format!("split.tensors.count follows in {changed} other {files} of the set"));
        }
        if outcome.breaks() && !self.how.allow_errors {
            let message =
                format!("{}: the file would have errors that it does not have now", out::path(&self.file));
            return Err(Stop::Refused(message, Some("--allow-errors writes it nevertheless".to_owned())));
        }
        match &self.output {
            Some(target) => obstacles::of_new(target, plan.len(), self.how.force, false, [&source])
                .map_err(|error| Stop::failed(target, mend::failure(error)))?,
            None => obstacles::of_replacement(&source, plan.len())
                .map_err(|error| failed(replace_failure(error)))?,
        }
        others.iter().try_for_each(Others::look)?;
        if self.how.dry_run {
            return Ok(());
        }
        match &self.output {
            Some(target) => write(&plan, &turned, target, self.how.force)?,
            None => {
                self.in_place(&plan, &turned, &source)?;
                others.iter().try_for_each(|others| others.write(&source))?;
                outcome.notes.extend(frame::owner_note(&source));
            }
        }
        outcome.written = true;
        Ok(())
    }

    /// Adds the tensors to the document, each where it belongs.
    fn add(
        &self,
        document: &mut Document<'_>,
        outcome: &mut Outcome,
        wanted: &[Wanted],
        found: &[Found],
        place: &mut dyn FnMut(&Found, &Document<'_>) -> Result<ggufkit::format::Span, Stop>,
    ) -> Result<(), Stop> {
        let edit = |error: EditError| Stop::refused(format!("{}: {error}", out::path(&self.file)));
        let mut order: Vec<u64> = (0..document.tensor_count()).collect();
        for (one, found) in wanted.iter().zip(found) {
            let name = &one.tensor.name;
            let shown = out::fit(name, 80);
            let there = document.find_tensors(name);
            let old = match (there.as_slice(), self.replace) {
                ([], _) => None,
                _ if outcome.tensors.iter().any(|put| put.name == *name) => {
                    return Err(Stop::refused(format!("tensor \"{shown}\" is named twice")));
                }
                ([old], true) => Some(*old),
                ([_, ..], true) => {
                    return Err(Stop::refused(format!("there are {} tensors \"{shown}\"", there.len())));
                }
                ([_, ..], false) => {
                    let help = "--replace puts the new one in its place".to_owned();
                    return Err(Stop::Refused(format!("there is a tensor \"{shown}\""), Some(help)));
                }
            };
            let span = place(found, document)?;
            let new = document.add_tensor(name, &found.dims, found.tensor_type, span).map_err(edit)?;
            match old.and_then(|old| Some((old, order.iter_mut().find(|at| **at == old)?))) {
                Some((old, at)) => {
                    *at = new;
                    document.remove_tensor(old).map_err(edit)?;
                }
                None => order.push(new),
            }
            outcome.put(name, found.tensor_type, &found.dims, old.is_some());
        }
        document.order_tensors(&order).map_err(edit).map(|_| ())
    }

    fn in_place(
        &self,
        plan: &ggufkit::format::Plan,
        turned: &Turned<'_, Parts<'_>>,
        source: &FileSource,
    ) -> Result<(), Stop> {
        let bar = Bar::begin(&out::path(&self.file), plan.len());
        let done = replace(plan, turned, source, &mut |now| {
            bar.at(now.done);
            Ok(())
        });
        bar.end();
        done.map_err(|error| Stop::failed(&self.file, replace_failure(error)))
    }
}

/// That a tensor was put into a file.
fn done(name: &[u8]) -> Done {
    Done { what: "add-tensor", name: name.to_vec(), element: None, before: None, after: None }
}

fn has_extension(file: &[u8], extension: &str) -> bool {
    let path = path_of(file).unwrap_or_default();
    Path::new(&path).extension().is_some_and(|ext| ext.eq_ignore_ascii_case(extension))
}

/// The file and the tensor in it: what follows the colon behind a name that may hold several.
fn split(source: &[u8]) -> (&[u8], Option<&[u8]>) {
    let colons = source.iter().enumerate().filter(|(_, byte)| **byte == b':');
    for (at, _) in colons {
        let Some((file, tensor)) = source.split_at_checked(at) else { continue };
        if has_extension(file, "gguf") || has_extension(file, "safetensors") {
            return (file, tensor.get(1..));
        }
    }
    (source, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_parts_file_and_tensor_behind_names_of_files_with_several() {
        for (source, file, tensor) in [
            ("a.npy", "a.npy", None),
            ("a.gguf", "a.gguf", None),
            ("a.gguf:b", "a.gguf", Some("b")),
            ("a.safetensors:b:c", "a.safetensors", Some("b:c")),
            ("C:\\a.GGUF:b", "C:\\a.GGUF", Some("b")),
            ("a:b.raw", "a:b.raw", None),
        ] {
            assert_eq!(split(source.as_bytes()), (file.as_bytes(), tensor.map(str::as_bytes)), "{source}");
        }
    }
}
