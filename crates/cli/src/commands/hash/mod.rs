//! `gguf hash`: digests of tensors, of models, of files.

mod file;
mod json;

use std::io::{self, Write as _};
use std::num::NonZeroUsize;

use ggufkit::digest::{Algorithm, Entry, Hashes, Names, NotHashed, Part, Plan, Request, manifest};
use ggufkit::format::shorten;
use ggufkit::io::{DynSource, ShardProblem};

use crate::args::{InputArgs, ReadArgs, ThreadArgs};
use crate::commands::progress::Bar;
use crate::failure::{Failed, Failure};
use crate::frame::Document;
use crate::json::Files;
use crate::out::{self, Out};
use crate::{FAILED, OK, frame};

pub(crate) use file::of as file_digests;

/// Tensors that are named one by one when they cannot be hashed.
const NAMED: usize = 20;

/// The digests as they are typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Pick {
    /// xxHash, 64 bits: the fastest; against accidents only
    Xxh64,
    /// SHA-1; against accidents only
    Sha1,
    /// SHA-256
    Sha256,
    /// UUID v5 of all data, as llama-gguf-hash makes it; of models only
    Uuid,
    /// BLAKE3: strong, and by all threads at once
    Blake3,
    /// The same for the same tensors whatever their order, metadata, shards and byte order; of models only
    Identity,
}

impl Pick {
    const fn algorithm(self) -> Algorithm {
        match self {
            Self::Xxh64 => Algorithm::Xxh64,
            Self::Sha1 => Algorithm::Sha1,
            Self::Sha256 => Algorithm::Sha256,
            Self::Uuid => Algorithm::Uuid,
            Self::Blake3 => Algorithm::Blake3,
            Self::Identity => Algorithm::Identity,
        }
    }
}

/// Digests of every tensor and of the model, in the form of llama-gguf-hash; of whole files, in that of sha256sum
///
/// Of a tensor its data is hashed, without padding; of a model the data of all tensors, in the order of the table, the
/// shards of a set one after the other. Names, shapes and metadata do not count, but for the identity (see
/// docs/hashes.md). `gguf verify` compares files with what this prints. A tensor whose data cannot be told (an unknown type,
/// data outside the file or another tensor's, too) is named, and its model has no digest; exit status 2.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf hash model.gguf > model.manifest\n  gguf hash -a sha256 --no-layer model-00001-of-00003.gguf\n  \
    gguf hash -a identity *.gguf\n  gguf hash --file -a sha256 *.gguf > SHA256SUMS\n  gguf hash --json -a blake3 model.gguf | jq '.files[0].model'"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    /// Which digests; may be given again (default xxh64, with --file sha256)
    #[arg(long = "algorithm", short = 'a', value_enum, value_name = "NAME", value_delimiter = ',')]
    algorithms: Vec<Pick>,
    /// All digests
    #[arg(long, conflicts_with = "algorithms")]
    all: bool,
    /// As llama-gguf-hash has it
    #[arg(long, hide = true)]
    xxh64: bool,
    #[arg(long, hide = true)]
    sha1: bool,
    #[arg(long, hide = true)]
    sha256: bool,
    #[arg(long, hide = true)]
    uuid: bool,
    #[arg(long, hide = true)]
    blake3: bool,
    #[arg(long, short, hide = true, value_name = "LIST")]
    check: Option<std::ffi::OsString>,
    /// Not of each tensor
    #[arg(long)]
    no_layer: bool,
    /// Not of the model as a whole
    #[arg(long, conflicts_with = "no_layer")]
    no_model: bool,
    /// Of the file as it is, byte for byte, whatever it holds; lines as sha256sum prints them, with several digests as
    /// `sha256sum --tag` does
    #[arg(long, conflicts_with_all = ["no_layer", "no_model"])]
    file: bool,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        if let Some(list) = &self.check {
            let list = out::fit(list.as_encoded_bytes(), 200);
            let message = "hash makes digests and compares none".to_owned();
            let help = Some(format!(
                "`gguf verify {list}`, or `gguf verify {list} FILE`, compares files with a list"
            ));
            frame::refuse(out, "hash", self.json, &Failure::Usage { code: "check", message, help })?;
            return Ok(FAILED);
        }
        let algorithms = self.algorithms();
        let of_models = |algorithm: &Algorithm| matches!(algorithm, Algorithm::Uuid | Algorithm::Identity);
        if self.file {
            if let Some(algorithm) = algorithms.iter().find(|algorithm| of_models(algorithm)) {
                let text = format!("{algorithm} is of a model's tensors, and --file hashes files");
                frame::refuse(out, "hash", self.json, &Failure::usage("not-of-files", text))?;
                return Ok(FAILED);
            }
            return file::run(out, &self.inputs, &algorithms, self.json);
        }
        let layers: Vec<Algorithm> =
            algorithms.iter().copied().filter(|algorithm| !self.no_layer && !of_models(algorithm)).collect();
        let whole = if self.no_model { Vec::new() } else { algorithms };
        if layers.is_empty() && whole.is_empty() {
            let text = "uuid and identity are of models, and --no-model leaves them out: nothing is left";
            frame::refuse(out, "hash", self.json, &Failure::usage("nothing-asked", text))?;
            return Ok(FAILED);
        }
        let mut files = if self.json { Some(Files::begin(out, "hash", true)?) } else { None };
        let mut complete = true;
        let good = frame::each(out, &self.inputs, &self.read.anywhere(true), self.json, |out, document| {
            let mut hashed = hash(document, &layers, &whole, None, self.threads.count());
            let failures = hashed.failures(document);
            complete &= failures.is_empty();
            if let Some(files) = &mut files {
                return files.add(out, &json::File::of(document, &layers, &whole, &hashed, &failures));
            }
            frame::report_problems(out, document)?;
            if let Some(hashes) = &hashed.hashes {
                print(out, document, &layers, &whole, hashes)?;
            }
            frame::report(out, &failures)
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(if good && complete { OK } else { FAILED })
    }

    /// What was asked for, each once, in the order in which it is printed.
    fn algorithms(&self) -> Vec<Algorithm> {
        let mut asked: Vec<Algorithm> = self.algorithms.iter().map(|pick| pick.algorithm()).collect();
        for (named, pick) in [
            (self.xxh64, Pick::Xxh64),
            (self.sha1, Pick::Sha1),
            (self.sha256, Pick::Sha256),
            (self.uuid, Pick::Uuid),
            (self.blake3, Pick::Blake3),
        ] {
            asked.extend(named.then(|| pick.algorithm()));
        }
        if self.all {
            let all = Algorithm::ALL.into_iter();
            asked =
                all.filter(|a| !self.file || !matches!(a, Algorithm::Uuid | Algorithm::Identity)).collect();
        } else if asked.is_empty() {
            asked.push(if self.file { Algorithm::Sha256 } else { Algorithm::Xxh64 });
        }
        asked.sort_unstable();
        asked.dedup();
        asked
    }
}

/// What came of hashing a document.
pub(crate) struct Hashed {
    pub(crate) hashes: Option<Hashes>,
    /// Why nothing was hashed at all.
    pub(crate) refused: Option<Failure>,
    /// Why there is no digest of the whole, beside what is said of tensors.
    pub(crate) partial: Option<Failure>,
}

/// Hashes what a document's files hold. `only`: tensors of these names, where nothing is asked for of the whole.
pub(crate) fn hash(
    document: &Document<'_>,
    layers: &[Algorithm],
    whole: &[Algorithm],
    only: Option<Names<'_>>,
    threads: NonZeroUsize,
) -> Hashed {
    let nothing = |refused| Hashed { hashes: None, refused, partial: None };
    if document.model.is_none() {
        return nothing(None);
    }
    let in_order = |source: &ggufkit::io::FileSource| source.is_seekable();
    if !document.parts.iter().all(|part| part.source.as_ref().is_some_and(in_order)) {
        let text = "data cannot be hashed as it passes by: name a file (or use --file)";
        return nothing(Some(Failure::usage("standard-input", text)));
    }
    let parts: Vec<Part<'_>> = document
        .parts
        .iter()
        .filter_map(|part| Some(Part { view: part.view()?, source: part.source.as_ref()? as &DynSource }))
        .collect();
    let broken = !document.failures.is_empty() || document.problems.iter().any(ShardProblem::is_fatal);
    let partial = (broken && !whole.is_empty()).then(|| Failure::Data {
        kind: "malformed",
        code: "incomplete",
        message: "not all of the model could be read, so that it has no digest as a whole".to_owned(),
    });
    let whole = if broken { &[] } else { whole };
    let plan = Plan::new(&parts, Request { layers, whole, only });
    let bar = Bar::begin(document.label, plan.size());
    let hashes = plan.run(threads, &|bytes| bar.more(bytes));
    bar.end();
    if let Some(Failed { failure, .. }) = document.changed() {
        return nothing(Some(failure));
    }
    let by_order = hashes.without_rule.filter(|_| whole.contains(&Algorithm::Identity));
    let partial = partial.or_else(|| {
        let entry = hashes.entries.get(by_order?)?;
        let ty = parts.get(entry.part)?.view.index().tensors().get(entry.tensor)?.tensor_type;
        Some(Failure::Data {
            kind: "unsupported",
            code: "no-byte-order-rule",
            message: format!(
                "there is no identity: the file is big-endian, and no rule brings data of type {ty} into the other byte order"
            ),
        })
    });
    Hashed { hashes: Some(hashes), refused: None, partial }
}

/// The name of the tensor of an entry.
pub(crate) fn name_of<'a>(document: &'a Document<'_>, entry: &Entry) -> &'a [u8] {
    // Files that have no view come to no entry, and none stands between those that do.
    let view = document.parts.iter().filter_map(|part| part.view()).nth(entry.part);
    let tensor = |view: ggufkit::View<'a>| view.tensors().nth(entry.tensor).map(|(name, _)| name.0);
    view.and_then(tensor).unwrap_or_default()
}

/// What is wrong with a tensor, for a document.
pub(crate) fn failure_of(problem: &NotHashed, name: &[u8]) -> Failure {
    let code = problem.code();
    let kind = match code {
        "io" | "unexpected-end" => "io",
        "unknown-size" => "unsupported",
        _ => "malformed",
    };
    let message = format!("tensor \"{}\" is not hashed: {problem}", shorten(name, 80));
    Failure::Data { kind, code, message }
}

impl Hashed {
    /// What could not be hashed, and why; why not all of it could be is told once.
    fn failures(&mut self, document: &Document<'_>) -> Vec<Failed> {
        let at = |failure| Failed { path: document.given.to_owned(), failure };
        let mut failures: Vec<Failed> = Vec::new();
        let entries = self.hashes.iter().flat_map(|hashes| &hashes.entries);
        let mut bad = entries.filter_map(|entry| Some((entry, entry.problem.as_ref()?)));
        for (entry, problem) in bad.by_ref().take(NAMED) {
            let part = document.parts.iter().filter(|part| part.view().is_some()).nth(entry.part);
            let path = part.and_then(|part| part.path.clone()).unwrap_or_else(|| document.given.to_owned());
            failures.push(Failed { path, failure: failure_of(problem, name_of(document, entry)) });
        }
        let more = bad.count();
        if more > 0 {
            let message = format!("{more} more tensors are not hashed");
            failures.push(at(Failure::Data { kind: "malformed", code: "more", message }));
        }
        failures.extend(self.refused.take().into_iter().chain(self.partial.take()).map(at));
        failures
    }
}

/// Writes a line of a list exactly, or, for a terminal, so that it does nothing there.
fn write_line(out: &mut Out, line: &[u8]) -> io::Result<()> {
    if out.is_terminal() && !out::is_harmless(line) {
        return writeln!(out, "{}", out::plain(line));
    }
    out.write_all(line)?;
    out.write_all(b"\n")
}

fn print(
    out: &mut Out,
    document: &Document<'_>,
    layers: &[Algorithm],
    whole: &[Algorithm],
    hashes: &Hashes,
) -> io::Result<()> {
    let file = document.path.0;
    let names = document.parts.iter().filter_map(|part| part.view()).flat_map(|view| view.tensors());
    for (at, (name, _)) in names.enumerate() {
        for digest in layers.iter().filter_map(|algorithm| hashes.layer(at, *algorithm)) {
            write_line(out, &manifest::line(digest, file, Some(name.0)))?;
        }
    }
    for digest in whole.iter().filter_map(|algorithm| hashes.whole(*algorithm)) {
        write_line(out, &manifest::line(digest, file, None))?;
    }
    Ok(())
}
