//! `gguf hex`: a file's bytes with their meaning.

mod data;
mod fields;
mod page;
mod palette;

use std::io::{self, Write as _};

use clap::ArgGroup;
use ggufkit::format::spec::Lang;
use ggufkit::format::{ByteStr, Detail, Span, View};
use ggufkit::inspect::hex::{HexFile, Select};
use ggufkit::inspect::query::near;
use ggufkit::inspect::units;

use self::data::{Blocks, Data, Range, Trouble};
use self::fields::Show;
use self::page::{Bytes, Page};
use super::explain::lang::{LangArg, choose};
use super::explain::wrap::Run;
use crate::args::{Amount, InputArgs, ReadArgs, amount, range};
use crate::failure::{Failed, Failure};
use crate::frame::{self, Document, PartDoc};
use crate::json::Files;
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK};

/// Show a file byte by byte: every field of the head with its path, its value and what it means
///
/// Long texts and arrays are folded, and the fold says how many bytes it hides. Of a tensor's data the blocks are
/// shown with their members: scales decoded, the rest by its bits. A file that breaks off is shown as far as it goes.
#[derive(clap::Args, Debug)]
#[command(
    group(ArgGroup::new("what").args(["keys", "tensor", "at", "field"])),
    after_help = "Examples:\n  \
    gguf hex model.gguf\n  \
    gguf hex --key tokenizer.ggml.tokens --arrays 20 model.gguf\n  \
    gguf hex --at 0x1f4 --context 3 model.gguf      the field around a position that an error named\n  \
    gguf hex --field 'kv[17].value' model.gguf\n  \
    gguf hex --tensor blk.0.attn_q.weight --data --block 3 model.gguf\n  \
    gguf hex --steps model.gguf                     how a reader walks over the head, and why it can\n  \
    gguf hex --json model.gguf"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    /// Only the record of this key
    #[arg(long = "key", value_name = "KEY", help_heading = "What to show")]
    keys: Option<String>,
    /// Only the record of this tensor
    #[arg(long, value_name = "NAME", help_heading = "What to show")]
    tensor: Option<String>,
    /// Only what holds this position, or a position of this range, whose END is not included (0x40..0x50 and 0x40..+16
    /// are the same 16 bytes)
    #[arg(long, value_name = "OFFSET[..END]", value_parser = range, help_heading = "What to show")]
    at: Option<(u64, u64)>,
    /// Only this field and what belongs to it: header, kv[3], kv[3].value, tensors[0].offset
    #[arg(long, value_name = "PATH", help_heading = "What to show")]
    field: Option<String>,
    /// Fields to show before and after
    #[arg(
        long,
        short = 'C',
        value_name = "N",
        default_value_t = 0,
        help_heading = "What to show",
        hide_default_value = true
    )]
    context: usize,
    /// Show the tensor's data instead of its record
    #[arg(long, requires = "tensor", help_heading = "What to show")]
    data: bool,
    /// Which blocks of the data, counted from 0, END not included (0..4 are the first four); elements, where a type has no
    /// blocks
    #[arg(long, value_name = "N[..END]", value_parser = range, requires = "tensor", help_heading = "What to show")]
    block: Option<(u64, u64)>,
    /// Show the walk of a reader: every step, and why the next length is known
    #[arg(long, conflicts_with_all = ["data", "block"])]
    steps: bool,
    /// Elements of an array to show one by one
    #[arg(long, value_name = "N|all", default_value = "4", value_parser = amount)]
    arrays: Amount,
    /// Fold nothing
    #[arg(long)]
    full: bool,
    /// Language of the explanations (default: that of the environment)
    #[arg(long, value_enum, value_name = "LANG")]
    lang: Option<LangArg>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

/// The colour of a field, for other commands that show bytes.
pub(super) const fn style_of(kind: ggufkit::inspect::hex::Kind) -> anstyle::Style {
    palette::of_kind(kind)
}

/// What a command came to, over all its files.
#[derive(Default)]
struct Tally {
    /// Files that were looked at.
    files: usize,
    /// Whether what was asked for was found in the document at hand.
    found: bool,
    /// Whether some document had no such thing.
    missing: bool,
    /// Whether something failed that no file's head is to blame for.
    failed: bool,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let lang = choose(self.lang);
        let mut files = if self.json { Some(Files::begin(out, "hex", true)?) } else { None };
        let mut tally = Tally::default();
        let good = frame::each(out, &self.inputs, &self.read, self.json, |out, document| {
            tally.found = false;
            for (at, part) in document.parts.iter().enumerate() {
                let last = at + 1 == document.parts.len();
                let failure = document.failure_of(part);
                match &mut files {
                    Some(files) => self.add(out, files, (document, part, last), failure, lang, &mut tally)?,
                    None => self.print(out, part, document.parts.len() > 1, lang, &mut tally)?,
                }
                tally.files += 1;
            }
            if let Some(files) = &mut files {
                for failed in document.unopened() {
                    let mut file = HexFile::new(failed.name(), None, None, self.detail());
                    file.errors.push(failed.failure.json());
                    files.add(out, &file)?;
                }
            }
            if !tally.found && !tally.failed && document.model.is_some() {
                tally.missing = true;
                if let Some(failure) = self.missing(document).filter(|_| !self.json) {
                    let failed = Failed { path: document.given.to_owned(), failure };
                    frame::report(out, &[failed])?;
                }
            }
            Ok(())
        })?;
        if let Some(files) = files {
            files.end(out)?;
        }
        Ok(match (good && !tally.failed, tally.missing) {
            (false, _) => FAILED,
            (true, true) => NO,
            (true, false) => OK,
        })
    }

    fn detail(&self) -> Detail {
        match self.arrays {
            Amount(Some(n)) if !self.full => Detail::First(n),
            _ => Detail::All,
        }
    }

    /// What was asked for in this file; `None` when it has no such thing.
    fn select(&self, view: &View<'_>) -> Option<Select> {
        match (&self.keys, &self.tensor, self.at, &self.field) {
            (Some(key), ..) => Select::key(view, key.as_bytes()),
            (_, Some(name), ..) => Select::tensor(view, name.as_bytes()),
            (_, _, Some((from, to)), _) => Some(Select::Bytes(Span::between(from, to))),
            (.., Some(path)) => Some(Select::Path(path.clone())),
            _ => Some(Select::All),
        }
    }

    /// The tensor whose data is asked for, and the blocks.
    fn wanted<'a>(&self, part: &'a PartDoc<'_>, view: View<'a>, lang: Lang) -> Vec<(Data<'a>, Range)> {
        let Some(source) = part.source.as_ref() else { return Vec::new() };
        let index = view.index();
        let data = |at: usize| {
            let tensor = index.tensors().get(at)?;
            Some(Data { view, tensor, index: at, source, lang, full: self.full })
        };
        let path = self
            .field
            .as_deref()
            .and_then(|path| path.strip_prefix("tensors[")?.strip_suffix("].data")?.parse::<usize>().ok());
        if let (Some(name), true) = (&self.tensor, self.data || self.block.is_some()) {
            let at = view.tensors().position(|(n, _)| n.0 == name.as_bytes());
            let data = at.and_then(data);
            return data
                .into_iter()
                .map(|data| {
                    let range = self.block.unwrap_or_else(|| data.first());
                    (data, range)
                })
                .collect();
        }
        if let Some(data) = path.and_then(data) {
            let range = data.first();
            return vec![(data, range)];
        }
        let Some((from, to)) = self.at else { return Vec::new() };
        let mut all = Vec::new();
        for (at, tensor) in index.tensors().iter().enumerate() {
            let (Ok(span), Some(info)) = (index.data_span(tensor), tensor.tensor_type.info()) else {
                continue;
            };
            if span.start >= to || span.end() <= from || info.block_bytes == 0 {
                continue;
            }
            let size = u64::from(info.block_bytes);
            let first = from.max(span.start).saturating_sub(span.start) / size;
            let last = to.min(span.end()).saturating_sub(span.start).div_ceil(size);
            all.extend(data(at).map(|data| (data, (first, last))));
        }
        all.sort_by_key(|(data, _)| data.tensor.offset);
        all
    }

    fn print(
        &self,
        out: &mut Out,
        part: &PartDoc<'_>,
        several: bool,
        lang: Lang,
        tally: &mut Tally,
    ) -> io::Result<()> {
        if several || self.inputs.files.len() > 1 {
            let label = out.paint(Ink::Head, &part.label);
            writeln!(out, "{}{label}", if tally.files > 0 { "\n" } else { "" })?;
        }
        let Some(view) = part.view() else { return self.foreign(out, part, lang) };
        let only_data = self.data || self.block.is_some();
        if only_data && part.source.is_none() {
            tally.failed = true;
            return out.message(Ink::Bad, "error", &format!("{}: {}", part.label, no_data()));
        }
        let index = view.index();
        let last =
            view.start().saturating_add(view.head().len() as u64).min(index.data_start().unwrap_or(u64::MAX));
        let page = Page::new(out, last);
        if let Some(select) = self.select(&view).filter(|_| !only_data) {
            let all = select == Select::All;
            let detail = self.detail();
            let stopped = part.outcome.error.as_ref();
            let stopped = stopped.map(|error| format!("{} ({:#x})", error.path(), error.offset()));
            let show = Show { select, detail, context: self.context, full: self.full, lang, stopped };
            if self.steps {
                tally.found |= fields::walk(out, &page, &view, &show)? > 0;
            } else {
                let colors = all && fields::legend(out)?;
                // Without any field there is nothing to measure by a ruler.
                let none = self.at.is_some_and(|(from, _)| from >= last);
                let apart = (!none && page.ruler(out)?) || colors;
                tally.found |= fields::fields(out, &page, &view, &show, apart)? > 0;
                if all {
                    footer(out, part, &view, lang)?;
                }
            }
        }
        for (data, range) in self.wanted(part, view, lang) {
            match data.print(out, range, tally.found) {
                Ok(()) => tally.found = true,
                Err(trouble) => trouble_with(out, part, trouble, tally)?,
            }
        }
        if let (Some((from, to)), Some(source), false) = (self.at, &part.source, tally.found) {
            match data::between(out, source, Span::between(from, to), self.full, lang) {
                Ok(shown) => tally.found = shown,
                Err(trouble) => trouble_with(out, part, trouble, tally)?,
            }
        }
        Ok(())
    }

    /// The first bytes of a file that is no GGUF, or whose header cannot be read.
    fn foreign(&self, out: &mut Out, part: &PartDoc<'_>, lang: Lang) -> io::Result<()> {
        if part.head.is_empty() || self.asks() {
            return Ok(());
        }
        let shown = part.head.get(..64).unwrap_or(part.head);
        let span = Span::new(self.read.offset, shown.len() as u64);
        let words = vec![Run::plain(match lang {
            Lang::En => "the first bytes; there is no header that could be read",
            Lang::Zh => "文件开头的字节；读不出文件头",
        })];
        let page = Page::new(out, span.end());
        page.ruler(out)?;
        page.bytes(out, &Bytes { span, shown, style: palette::FAINT }, words)
    }

    /// Whether something in particular is asked for.
    const fn asks(&self) -> bool {
        self.keys.is_some() || self.tensor.is_some() || self.at.is_some() || self.field.is_some()
    }

    fn add(
        &self,
        out: &mut Out,
        files: &mut Files,
        (document, part, last): (&Document<'_>, &PartDoc<'_>, bool),
        failure: Option<&Failure>,
        lang: Lang,
        tally: &mut Tally,
    ) -> io::Result<()> {
        let path = part.path.as_ref().map_or(&b"-"[..], |path| path.as_os_str().as_encoded_bytes());
        let view = part.view();
        let wanted = view.map(|view| self.wanted(part, view, lang)).unwrap_or_default();
        let only_data = self.data || self.block.is_some();
        let mut file = HexFile::new(ByteStr(path), part.size, view.filter(|_| !only_data), self.detail());
        file.errors.extend(failure.map(Failure::json));
        (file.lang, file.steps) = (lang, self.steps);
        // Where nothing is to be shown, an empty list says so.
        let none = || Select::Records(Vec::new());
        file.select = view.and_then(|view| self.select(&view)).unwrap_or_else(none);
        let mut scratch = String::new();
        let detail = file.select.detail(file.detail);
        tally.found |=
            file.view.is_some_and(|view| view.fields(detail).any(|f| file.select.picks(&f, &mut scratch)));
        let mut tensors = Vec::new();
        for (data, range) in wanted {
            match data.range(range) {
                Ok(range) => tensors.push(Blocks { data, range }),
                Err(trouble) => {
                    tally.failed = true;
                    file.errors.push(failure_of(trouble)?.json());
                }
            }
        }
        if only_data && part.source.is_none() && view.is_some() {
            tally.failed = true;
            file.errors.push(no_data().json());
        }
        tally.found |= !tensors.is_empty();
        // What none of the files has is said with the last of them.
        if last && !tally.found && !tally.failed {
            file.errors.extend(self.missing(document).map(|failure| failure.json()));
        }
        if !only_data && tensors.is_empty() {
            return files.add(out, &file);
        }
        files.add(out, &WithData { file: &file, tensors })
    }

    /// That what was asked for is not there, and what is near it.
    fn missing(&self, document: &Document<'_>) -> Option<Failure> {
        let model = document.model.as_ref()?;
        let (code, what, close): (&str, String, Vec<String>) =
            match (&self.keys, &self.tensor, self.at, &self.field) {
                (Some(key), ..) => {
                    let close = near(key.as_bytes(), model.kvs().map(|(_, key, _)| key.0), 3);
                    (
                        "key-absent",
                        format!("no key \"{}\"", out::plain(key.as_bytes())),
                        close.iter().map(|k| out::fit(k, 80)).collect(),
                    )
                }
                (_, Some(name), ..) => {
                    let close = near(name.as_bytes(), model.tensors().map(|(_, name, _)| name.0), 3);
                    let name = out::plain(name.as_bytes());
                    (
                        "tensor-absent",
                        format!("no tensor \"{name}\""),
                        close.iter().map(|n| out::fit(n, 80)).collect(),
                    )
                }
                (_, _, Some((from, _)), _) => {
                    ("position-absent", format!("no field and no tensor at {from:#x}"), Vec::new())
                }
                (.., Some(path)) => {
                    ("field-absent", format!("no field \"{}\"", out::plain(path.as_bytes())), Vec::new())
                }
                _ => return None,
            };
        let help = (!close.is_empty()).then(|| format!("near it: {}", close.join(", ")));
        Some(Failure::Absent { code, message: what, help })
    }
}

/// What lies beyond the head.
fn footer(out: &mut Out, part: &PartDoc<'_>, view: &View<'_>, lang: Lang) -> io::Result<()> {
    let index = view.index();
    let (Some(start), Some(size)) = (index.data_start(), part.size) else { return Ok(()) };
    let (tensors, bytes) = (index.tensors().len() as u64, size.saturating_sub(start));
    if tensors == 0 {
        return Ok(());
    }
    let (tensors, bytes) = (units::count(tensors), units::count(bytes));
    let (title, text) = match lang {
        Lang::En => (
            "data",
            format!(
                "{start:#x}..{size:#x}: {tensors} tensors, {bytes} bytes; --tensor NAME --data shows them"
            ),
        ),
        Lang::Zh => (
            "data",
            format!("{start:#x}..{size:#x}：{tensors} 个张量，{bytes} 字节；用 --tensor NAME --data 查看"),
        ),
    };
    let (title, text) = (out.paint(Ink::Head, title), out.paint(Ink::Faint, text));
    writeln!(out, "\n{title}  {text}")
}

/// A file's document with tensor data beside the fields.
#[derive(serde::Serialize)]
struct WithData<'f, 'a> {
    #[serde(flatten)]
    file: &'f HexFile<'a>,
    tensors: Vec<Blocks<'a>>,
}

/// Why a stream's data is not shown.
fn no_data() -> Failure {
    Failure::usage("standard-input", "tensor data cannot be read from standard input")
}

/// Why data is not shown.
///
/// # Errors
/// The output's.
fn failure_of(trouble: Trouble) -> io::Result<Failure> {
    match trouble {
        Trouble::Place(error) => {
            Ok(Failure::Absent { code: "block-absent", message: error.to_string(), help: None })
        }
        Trouble::Read(error) => Ok(Failure::Io(error)),
        Trouble::Out(error) => Err(error),
    }
}

/// Reports why data is not shown.
fn trouble_with(out: &mut Out, part: &PartDoc<'_>, trouble: Trouble, tally: &mut Tally) -> io::Result<()> {
    let failure = failure_of(trouble)?;
    tally.failed = true;
    out.message(Ink::Bad, "error", &format!("{}: {failure}", part.label))
}
