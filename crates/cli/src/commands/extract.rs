//! `gguf extract`: tensor data out of a file, reading no more than it.

use std::fs::{self, File};
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};

use ggufkit::format::ReadAt as _;
use ggufkit::format::glob::Glob;
use ggufkit::inspect::json::JsonText;
use ggufkit::inspect::tensors::{Row, Sizing, rows};
use ggufkit::inspect::units;
use ggufkit::io::npy::{self, Bf16, NpyError};
use ggufkit::io::sink::PartFile;
use ggufkit::io::{DataError, FileSource, ShardProblem, TensorReader, expand, map_many};
use serde_json::{Value, json};

use crate::args::{InputArgs, ReadArgs, layers, number};
use crate::json::Files;
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// Bytes that are held of one tensor at a time.
const CHUNK: usize = 8 << 20;

/// Write tensor data to files: raw bytes as they stand in the file, or .npy for plain types
///
/// Only the bytes of the chosen tensors (and rows) are read. Each tensor becomes a file of its own, named after it; a
/// file appears under its name only when it is complete.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf extract model.gguf 'blk.0.*' -o layer0\n  gguf extract model.gguf '*norm*' -o norms --npy\n  \
    gguf extract model.gguf token_embd.weight --rows 0:10 -o rows\n  gguf extract model.gguf output_norm.weight -o - | xxd | head\n  \
    gguf extract model.gguf 'blk.*.attn_*' --dry-run"
)]
pub(crate) struct Args {
    /// The file, or any member of a shard set
    #[arg(value_name = "FILE")]
    file: std::ffi::OsString,
    /// Names or patterns of tensors (`*`, `?`, `[a-z]`); all tensors when neither these nor --layer are given
    #[arg(value_name = "PATTERN")]
    patterns: Vec<String>,
    /// The folder to write to, or `-` to write one tensor's bytes to standard output
    #[arg(long, short, value_name = "DIR", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Only tensors of these layers, both ends included: 3, 0..3, 30.. ; may be given again
    #[arg(long = "layer", value_name = "A..B", value_parser = layers)]
    layers: Vec<RangeInclusive<u64>>,
    /// Only these rows of each tensor, as a slice: 7, 10:20, 10: or :20
    #[arg(long, value_name = "FROM:TO", value_parser = slice)]
    rows: Option<(u64, u64)>,
    /// Write .npy files; types of blocks have no such form and are refused
    #[arg(long)]
    npy: bool,
    /// Overwrite files that exist
    #[arg(long)]
    force: bool,
    /// Say what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Tensors that are read at the same time
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// A slice of rows: `7`, `2:5`, `2:`, `:5`.
fn slice(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = match text.split_once(':') {
        Some((from, to)) => (
            if from.is_empty() { 0 } else { number(from)? },
            if to.is_empty() { u64::MAX } else { number(to)? },
        ),
        None => {
            let one = number(text)?;
            (one, one.saturating_add(1))
        }
    };
    if from >= to { Err("the slice is empty".to_owned()) } else { Ok((from, to)) }
}

/// A tensor that was chosen, and what became of it.
struct Job<'a> {
    row: Row<'a>,
    reader: &'a TensorReader<'a, FileSource>,
    /// The files of the model, none of which may be written to.
    sources: &'a [&'a FileSource],
    rows: Option<(u64, u64)>,
    file: PathBuf,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let globs = match self.patterns.iter().map(|p| Glob::new(p)).collect::<Result<Vec<_>, _>>() {
            Ok(globs) => globs,
            Err(error) => {
                out.message(Ink::Bad, "error", &error.to_string())?;
                return Ok(FAILED);
            }
        };
        let inputs = InputArgs { files: vec![self.file.clone()], how: crate::args::HowArgs::default() };
        if let Some(refusal) = self.refusal(&inputs) {
            out.message(Ink::Bad, "error", &refusal)?;
            return Ok(FAILED);
        }
        let mut files = if self.json { Some(Files::begin(out, "extract", true)?) } else { None };
        let mut status = OK;
        let good = frame::each(out, &inputs, &self.read, self.json, |out, document| {
            // One reader a part, so that what it works out about the table is worked out once.
            let readers: Vec<_> = document
                .parts
                .iter()
                .filter_map(|part| Some(TensorReader::new(part.source.as_ref()?, part.view()?)))
                .collect();
            let sources: Vec<_> = document.parts.iter().filter_map(|part| part.source.as_ref()).collect();
            let mut jobs = Vec::new();
            let mut names = Names::default();
            for row in document.model.as_ref().map(rows).unwrap_or_default() {
                let name = row.name.as_bytes();
                let chosen = globs.is_empty() || globs.iter().any(|glob| glob.matches(name));
                let in_layers = self.layers.is_empty()
                    || row.layer.is_some_and(|n| self.layers.iter().any(|range| range.contains(&n)));
                if let (true, true, Some(reader)) = (chosen, in_layers, readers.get(row.part_index)) {
                    let file = names.file(name, if self.npy { "npy" } else { "bin" });
                    jobs.push(Job { row, reader, sources: &sources, rows: self.rows, file });
                }
            }
            let results = self.carry_out(out, &jobs)?;
            let failed = results.iter().filter(|result| result.is_err()).count();
            // What was asked for may be in a shard that is not there.
            if failed > 0 || document.problems.iter().any(ShardProblem::is_fatal) {
                status = FAILED;
            } else if jobs.is_empty() {
                status = NO;
            }
            if let Some(files) = &mut files {
                let (error, errors) = (document.error_json(), document.errors_json());
                let tensors: Vec<_> =
                    jobs.iter().zip(&results).map(|(job, result)| job.json(result)).collect();
                return files.add(
                    out,
                    &json!({
                        "path": document.label, "tensors": tensors, "problems": document.problems_json(),
                        "error": error, "errors": errors,
                    }),
                );
            }
            frame::report_problems(out, document)?;
            if document.model.is_none() { Ok(()) } else { self.say(out, &jobs, &results) }
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(if good { status } else { FAILED })
    }

    /// Why the call as a whole makes no sense.
    fn refusal(&self, inputs: &InputArgs) -> Option<String> {
        if self.file == "-" {
            return Some("tensor data cannot be read from standard input: name a file".to_owned());
        }
        if self.json && self.to_stdout() {
            return Some("standard output takes the tensor's bytes or JSON, not both".to_owned());
        }
        // What cannot be expanded is reported where it is read.
        let found = expand(&inputs.files, &inputs.how.expand()).map_or(0, |found| found.len());
        (found > 1).then(|| {
            let given = out::plain(self.file.as_encoded_bytes());
            format!(
                "{given}: {found} models, whose tensors would overwrite each other's files: name one of them"
            )
        })
    }

    /// Whether the bytes themselves go to standard output.
    fn to_stdout(&self) -> bool {
        !self.dry_run && self.output.as_deref() == Some(Path::new("-"))
    }

    /// Writes the jobs' files; one result each, in their order.
    fn carry_out(&self, out: &mut Out, jobs: &[Job<'_>]) -> io::Result<Vec<Result<u64, String>>> {
        let sizes: Vec<_> = jobs.iter().map(|job| job.bytes().map_err(|error| error.to_string())).collect();
        let all = |message: String| Ok(vec![Err(message); jobs.len()]);
        // Tensors may claim the same bytes over and over: a small file would fill a disk.
        let total = sizes.iter().flatten().fold(0_u64, |sum, size| sum.saturating_add(*size));
        let there = jobs.first().map_or(0, Job::bytes_there);
        if total > there {
            return all(format!(
                "the chosen tensors take {total} bytes and their files have {there}: they overlap; choose fewer"
            ));
        }
        if self.dry_run || jobs.is_empty() {
            return Ok(sizes);
        }
        let Some(folder) = &self.output else { return Ok(sizes) };
        if self.to_stdout() {
            return match jobs {
                [job] => Ok(vec![job.copy(self.npy, out).map_err(|error| error.to_string())]),
                _ => all(format!("standard output takes one tensor, and {} were chosen", jobs.len())),
            };
        }
        if let Err(error) = fs::create_dir_all(folder) {
            return all(format!("{}: {error}", out::path(folder)));
        }
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.unwrap_or(NonZeroUsize::MIN);
        Ok(map_many(jobs.len(), threads, &|at| match jobs.get(at) {
            Some(job) => job.write(folder, self.npy, self.force).map_err(|error| error.to_string()),
            None => Err("not written".to_owned()),
        }))
    }

    fn say(&self, out: &mut Out, jobs: &[Job<'_>], results: &[Result<u64, String>]) -> io::Result<()> {
        if jobs.is_empty() {
            return out.message(Ink::Warn, "note", "no tensor was chosen: `gguf tensors` lists their names");
        }
        let to_stdout = self.to_stdout();
        let (mut total, mut said) = (0_u64, None);
        for (job, result) in jobs.iter().zip(results) {
            match result {
                Ok(bytes) if !to_stdout => {
                    total = total.saturating_add(*bytes);
                    let file = self.output.as_deref().unwrap_or(Path::new("")).join(&job.file);
                    let name = out.paint(Ink::Key, out::plain(job.row.name.as_bytes()).to_string());
                    let size = out.paint(Ink::Number, units::bytes(*bytes));
                    let note = if job.row.sizing == Sizing::Inferred {
                        " (size inferred from the next tensor's offset)"
                    } else {
                        ""
                    };
                    writeln!(
                        out,
                        "{name}  {} {:?}  {size}  {}{note}",
                        job.row.tensor_type(),
                        job.row.dims,
                        out::path(&file)
                    )?;
                }
                Ok(_) => {}
                // The messages name their tensor or file; one that is about the whole call is said once.
                Err(message) if said.as_ref() != Some(message) => {
                    out.message(Ink::Bad, "error", message)?;
                    said = Some(message.clone());
                }
                Err(_) => {}
            }
        }
        if !to_stdout {
            let verb = if self.dry_run { "would be written" } else { "written" };
            let done = results.iter().filter(|r| r.is_ok()).count();
            writeln!(out, "{done} of {} tensors {verb}, {}", jobs.len(), units::bytes(total))?;
        }
        Ok(())
    }
}

/// What can stop one tensor from being written.
#[derive(Debug)]
enum Trouble {
    Data(DataError),
    Npy(NpyError),
    File(PathBuf, io::Error),
    /// The output file's name is that of a file that is being read.
    Input(PathBuf),
    Output(io::Error),
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Data(error) => error.fmt(f),
            Self::Npy(error) => error.fmt(f),
            Self::File(path, error) if error.kind() == io::ErrorKind::AlreadyExists => {
                write!(f, "{} exists; --force overwrites it", out::path(path))
            }
            Self::File(path, error) => write!(f, "{}: {error}", out::path(path)),
            Self::Input(path) => {
                write!(f, "{} is the model itself: write to another folder", out::path(path))
            }
            Self::Output(error) => error.fmt(f),
        }
    }
}

impl From<DataError> for Trouble {
    fn from(error: DataError) -> Self {
        Self::Data(error)
    }
}

impl<'a> Job<'a> {
    /// The rows that were asked for and exist.
    fn rows(&self) -> Result<Option<Range<u64>>, Trouble> {
        let Some((from, to)) = self.rows else { return Ok(None) };
        let (count, _) = self.reader.row_shape(self.row.tensor)?;
        // An open end means the last row; a start at or past the end asks for a row that does not exist.
        Ok(Some(from..if to == u64::MAX { count.max(from.saturating_add(1)) } else { to }))
    }

    /// Bytes of data that the file will have.
    fn bytes(&self) -> Result<u64, Trouble> {
        let reader = self.reader;
        Ok(match self.rows()? {
            None => reader.extent(self.row.tensor)?.span.len,
            Some(rows) => reader.row_span(self.row.tensor, rows)?.len,
        })
    }

    /// Bytes of all files of the model.
    fn bytes_there(&self) -> u64 {
        self.sources.iter().fold(0, |sum, source| sum.saturating_add(source.size().unwrap_or(u64::MAX)))
    }

    /// Writes the data to `to`, chunk by chunk; returns the number of its bytes.
    fn copy<W: Write + ?Sized>(&self, npy: bool, to: &mut W) -> Result<u64, Trouble> {
        let (reader, tensor, rows) = (self.reader, self.row.tensor, self.rows()?);
        let total = self.bytes()?;
        if npy {
            npy::write(reader, tensor, rows, Bf16::Refuse, to).map_err(Trouble::Npy)?;
            return Ok(total);
        }
        let mut chunks = match rows {
            Some(rows) => reader.row_chunks(tensor, rows, CHUNK)?,
            None => reader.chunks(tensor, CHUNK)?,
        };
        while let Some(chunk) = chunks.next_chunk() {
            to.write_all(chunk?.bytes).map_err(Trouble::Output)?;
        }
        Ok(total)
    }

    /// Writes the file: beside its place first, under its name when it is whole.
    fn write(&self, folder: &Path, npy: bool, force: bool) -> Result<u64, Trouble> {
        let path = folder.join(&self.file);
        let trouble = |error| Trouble::File(path.clone(), error);
        for source in self.sources {
            if source.is_at(&path).map_err(trouble)? {
                return Err(Trouble::Input(path));
            }
        }
        if !force && path.symlink_metadata().is_ok() {
            return Err(trouble(io::ErrorKind::AlreadyExists.into()));
        }
        let part = PartFile::create(&path).map_err(trouble)?;
        let bytes = self.fill(part.file(), npy).map_err(|error| match error {
            // The output of this call has a name.
            Trouble::Output(error) | Trouble::Npy(NpyError::Write(error)) => trouble(error),
            other => other,
        })?;
        part.commit(force).map_err(trouble)?;
        Ok(bytes)
    }

    fn fill(&self, mut file: &File, npy: bool) -> Result<u64, Trouble> {
        self.copy(npy, &mut file)
    }

    fn json(&self, result: &Result<u64, String>) -> Value {
        json!({
            "name": JsonText(self.row.name), "type": self.row.tensor_type().to_string(), "shape": self.row.dims,
            "offset": self.row.data, "file": self.file.display().to_string(), "rows": self.rows.map(|(a, b)| [a, b]),
            "bytes": result.as_ref().ok(), "sizing": self.row.sizing, "error": result.as_ref().err(),
        })
    }
}

/// Names of files for names of tensors: nothing in them leaves the folder, and no two are the same.
#[derive(Default)]
struct Names(std::collections::BTreeMap<String, usize>);

impl Names {
    fn file(&mut self, name: &[u8], extension: &str) -> PathBuf {
        let mut stem = String::new();
        for &byte in name.iter().take(160) {
            match byte {
                b'.' if stem.is_empty() => stem.push_str("%2e"),
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => stem.push(byte.into()),
                other => stem.push_str(&format!("%{other:02x}")),
            }
        }
        if stem.is_empty() {
            stem.push_str("%00");
        }
        stem.truncate(200);
        // File systems that do not tell case apart would merge two such names.
        let times = self.0.entry(stem.to_ascii_lowercase()).or_insert(0);
        *times += 1;
        // A `~` in a tensor's name is escaped, so these names are nobody else's.
        PathBuf::from(if *times == 1 {
            format!("{stem}.{extension}")
        } else {
            format!("{stem}~{times}.{extension}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_are_read_as_typed() {
        assert_eq!(slice("7"), Ok((7, 8)));
        assert_eq!(slice("2:5"), Ok((2, 5)));
        assert_eq!(slice("2:"), Ok((2, u64::MAX)));
        assert_eq!(slice(":5"), Ok((0, 5)));
        assert!(slice("5:5").is_err());
        assert!(slice("x").is_err());
    }

    #[test]
    fn no_name_leaves_the_folder_and_none_is_taken_twice() {
        let mut names = Names::default();
        let mut file = |name: &[u8]| names.file(name, "bin").display().to_string();
        assert_eq!(file(b"blk.0.attn_q.weight"), "blk.0.attn_q.weight.bin");
        assert_eq!(file(b"../../etc/passwd"), "%2e.%2f..%2fetc%2fpasswd.bin");
        assert_eq!(file(b""), "%00.bin");
        assert_eq!(file(b"a\0b\x1b"), "a%00b%1b.bin");
        assert_eq!(file(b"W"), "W.bin");
        assert_eq!(file(b"w"), "w~2.bin");
        assert!(file(&[0xff; 5000]).len() < 255);
    }
}
