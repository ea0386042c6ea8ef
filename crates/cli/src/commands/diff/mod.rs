//! `gguf diff`: what differs between two files, or two shard sets: header, metadata, tensors, data, layout.

mod data;
mod patch;
mod print;
mod say;
mod value;

use std::ffi::OsString;
use std::io::{self, Write as _};

use ggufkit::edit::patch::Patch;
use ggufkit::format::glob::Glob;
use ggufkit::inspect::diff::{Data, Diff, Options};
use ggufkit::inspect::json::{JsonText, SCHEMA, write};
use ggufkit::inspect::units;
use ggufkit::io::{ShardProblem, expand};
use serde::Serialize;
use serde_json::json;

use self::data::Looked;
use self::say::Much;
use crate::args::{HowArgs, InputArgs, ReadArgs, ThreadArgs};
use crate::failure::Failure;
use crate::frame::Document;
use crate::out::{self, Ink, Out};
use crate::{FAILED, NO, OK, frame};

/// Say what differs between two models: header, metadata, tensors, their data, the layout
///
/// Values are compared as values, exactly: types count, and floats by their bits. Data is read side by side and compared byte
/// by byte; of files of different byte order, value by value. Tensors that have another name and the same type, shape and data
/// are called renamed. Any member of a shard set stands for its whole model, which may be cut differently or not at all.
///
/// "Same" is said of files that are the same in every byte, or, where something was left out (--no-data, --only, --ignore,
/// --semantic), of what was compared. The layout is what does not follow from the tensor table: offsets in another order,
/// gaps, padding that is not zero, bytes at the end.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf diff model.gguf model-fixed.gguf\n  gguf diff a.gguf b.gguf --no-data\n  \
    gguf diff model-00001-of-00003.gguf merged.gguf --semantic\n  \
    gguf diff a.gguf b.gguf --only metadata --ignore 'tokenizer.*'\n  \
    gguf diff a.gguf b.gguf --patch > changes.json; gguf apply a.gguf changes.json\n  \
    gguf diff a.gguf b.gguf --json | jq '.diff.metadata.changed[].key'\n\n\
    Exit status: 0 same, 1 different, 2 a file or some data could not be read, or usage."
)]
pub(crate) struct Args {
    /// The first file, or any member of a shard set
    #[arg(value_name = "A")]
    a: OsString,
    /// The second
    #[arg(value_name = "B")]
    b: OsString,
    /// Compare only the heads: no data, and no bytes between, is read
    #[arg(long, visible_alias = "head", help_heading = "Comparing")]
    no_data: bool,
    /// Compare only this; may be given again
    #[arg(long, value_name = "WHAT", value_enum, value_delimiter = ',', help_heading = "Comparing")]
    only: Vec<What>,
    /// Pass over keys and tensors whose names match this pattern (`*`, `?`, `[a-z]`); may be given again
    #[arg(long, value_name = "PATTERN", help_heading = "Comparing")]
    ignore: Vec<String>,
    /// Ignore what no loader looks at: order, version, byte order, alignment, layout, padding
    #[arg(long, help_heading = "Comparing")]
    semantic: bool,
    /// Compare keys of padding (general.padding, chisel.pad) as others; a --patch then says "exact": true
    #[arg(long, conflicts_with = "semantic", help_heading = "Comparing")]
    exact: bool,
    /// Compare these files alone, and not the shard sets that they are members of
    #[arg(long, help_heading = "Input")]
    alone: bool,
    /// Show all differences, and values and texts whole
    #[arg(long)]
    all: bool,
    /// Print nothing: the exit status tells
    #[arg(long, short, conflicts_with_all = ["json", "markdown", "patch"])]
    quiet: bool,
    /// Print JSON, complete
    #[arg(long)]
    json: bool,
    /// Print Markdown
    #[arg(long, conflicts_with_all = ["json", "patch"])]
    markdown: bool,
    /// Print a document for `gguf apply` that gives A the metadata of B; the status stays 1
    #[arg(long, conflicts_with = "json")]
    patch: bool,
    #[command(flatten)]
    threads: ThreadArgs,
    #[command(flatten)]
    read: ReadArgs,
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum What {
    /// Version, byte order, alignment
    Header,
    /// Keys, their values and their order
    Metadata,
    /// The tensor table, and the data
    Tensors,
    /// Where the data lies, and what lies between
    Layout,
}

/// Items of one kind that are shown without `--all`.
const FEW: usize = 20;

/// Which of what there is was compared.
#[derive(Clone, Copy, Serialize)]
struct Compared {
    header: bool,
    metadata: bool,
    tensors: bool,
    data: bool,
    layout: bool,
    semantic: bool,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // The exit status is a verdict, whoever reads the report.
        out.hold();
        let globs = match self.ignore.iter().map(|p| Glob::new(p)).collect::<Result<Vec<_>, _>>() {
            Ok(globs) => globs,
            Err(error) => return self.refuse(out, &Failure::usage("bad-pattern", error.to_string())),
        };
        if self.a == "-" && self.b == "-" {
            let text = "standard input can be one of the two, not both";
            return self.refuse(out, &Failure::usage("standard-input", text));
        }
        let how = HowArgs { alone: self.alone, ..HowArgs::default() };
        let input = |name: &OsString| InputArgs { files: vec![name.clone()], how: how.clone() };
        let (input_a, input_b) = (input(&self.a), input(&self.b));
        for one in [&input_a, &input_b] {
            // What cannot be expanded is reported where it is read.
            let found = expand(&one.files, &how.expand()).map_or(1, |found| found.len());
            if found != 1 {
                let given = one.files.first().map(|name| out::plain(name.as_encoded_bytes()).to_string());
                let text = format!("{}: {found} models, and one is compared", given.unwrap_or_default());
                return self.refuse(out, &Failure::usage("several-models", text));
            }
        }
        let mut status = None;
        let mut good_b = true;
        // What is wrong with both is said once, by the answer.
        let read = self.read.anywhere(!self.no_data);
        let good_a = frame::each(out, &input_a, &read, true, |out, a| {
            good_b &= frame::each(out, &input_b, &read, true, |out, b| {
                status = Some(self.compare(out, a, b, &globs)?);
                Ok(())
            })?;
            Ok(())
        })?;
        Ok(match status {
            Some(status) if good_a && good_b => status,
            _ => FAILED,
        })
    }

    fn refuse(&self, out: &mut Out, failure: &Failure) -> io::Result<u8> {
        frame::refuse(out, "diff", self.json, failure)?;
        Ok(FAILED)
    }

    fn wants(&self, what: What) -> bool {
        self.only.is_empty() || self.only.contains(&what)
    }

    fn compare(&self, out: &mut Out, a: &Document<'_>, b: &Document<'_>, globs: &[Glob]) -> io::Result<u8> {
        let whole = |document: &Document<'_>| {
            document.failures.is_empty() && !document.problems.iter().any(ShardProblem::is_fatal)
        };
        if !self.json {
            frame::report_problems(out, a)?;
            frame::report_problems(out, b)?;
            frame::report(out, a.failures.iter().chain(b.failures))?;
        }
        let (Some(model_a), Some(model_b), true) = (&a.model, &b.model, whole(a) && whole(b)) else {
            // Of a head that was read in part nothing can be called absent.
            if self.json {
                self.json(out, [a, b], None, None)?;
            }
            return Ok(FAILED);
        };
        let ignored = |name: &[u8]| globs.iter().any(|glob| glob.matches(name));
        let options = Options {
            header: self.wants(What::Header),
            metadata: self.wants(What::Metadata),
            tensors: self.wants(What::Tensors),
            layout: self.wants(What::Layout),
            semantic: self.semantic,
            exact: self.exact,
            ignore: (!globs.is_empty()).then_some(&ignored),
        };
        let mut diff = Diff::new(model_a, model_b, &options);
        let data = !self.no_data && (options.tensors || options.layout);
        let compared = Compared {
            header: options.header && !self.semantic,
            metadata: options.metadata,
            tensors: options.tensors,
            data: data && options.tensors,
            layout: options.layout && !self.semantic,
            semantic: self.semantic,
        };
        let mut looked = Looked::default();
        // Who asks for the status alone has it once something differs.
        if data && !(self.quiet && diff.count() > 0) {
            looked = data::look(&mut diff, a, b, self.threads.count(), options.tensors);
        }
        let count = diff.count();
        let status = match () {
            () if !looked.failures.is_empty() => FAILED,
            () if count > 0 => NO,
            () if !looked.unknown.is_empty() => FAILED,
            () => OK,
        };
        if self.json {
            self.json(out, [a, b], Some((&diff, compared, status)), Some(&looked))?;
            return Ok(status);
        }
        for failure in &looked.failures {
            out.message(Ink::Bad, "error", failure)?;
        }
        self.unknown(out, &looked)?;
        if self.quiet {
            return Ok(status);
        }
        if self.patch {
            patch::print(out, &Patch::of(&diff), self.exact)?;
            return Ok(status);
        }
        let wide = match out.edge() {
            _ if self.all || self.markdown => 1000,
            Some(edge) => edge.saturating_sub(9),
            None => 100,
        };
        let items = if self.all { usize::MAX } else { FEW };
        let sections = say::sections(&diff, Much { wide, items, all: self.all });
        let summary = summary(&diff, compared, &looked, status);
        if self.markdown {
            writeln!(out, "# {} → {}\n\n{}", print::code(a.label), print::code(b.label), summary.join(" "))?;
            print::markdown(out, &sections)?;
            return Ok(status);
        }
        print::terminal(out, &sections)?;
        let mut lines = summary.into_iter();
        if let Some(first) = lines.next() {
            let ink = if status == OK { Ink::Good } else { Ink::Head };
            let first = out.paint(ink, first);
            out.line(&first.to_string(), 2)?;
        }
        lines.try_for_each(|line| out.line(&line, 2))?;
        Ok(status)
    }

    /// Says of which tensors it is not known whether they are the same.
    fn unknown(&self, out: &mut Out, looked: &Looked) -> io::Result<()> {
        let most = if self.all { usize::MAX } else { 3 };
        for (name, why) in looked.unknown.iter().take(most) {
            let text = format!("the data of {} was not compared: {why}", out::fit(name, 100));
            out.message(Ink::Warn, "warning", &text)?;
        }
        match looked.unknown.len().saturating_sub(most) {
            0 => Ok(()),
            more => out.message(Ink::Warn, "warning", &format!("nor was that of {more} others (--all)")),
        }
    }

    fn json(
        &self,
        out: &mut Out,
        documents: [&Document<'_>; 2],
        diff: Option<(&Diff<'_>, Compared, u8)>,
        looked: Option<&Looked>,
    ) -> io::Result<()> {
        #[derive(Serialize)]
        struct File<'a> {
            path: JsonText<'a>,
            files: Vec<JsonText<'a>>,
            size: Option<u64>,
            problems: Vec<serde_json::Value>,
            errors: Vec<serde_json::Value>,
        }
        #[derive(Serialize)]
        struct Whole<'d, 'a> {
            schema: u32,
            command: &'static str,
            files: Vec<File<'d>>,
            same: Option<bool>,
            differences: Option<u64>,
            compared: Option<Compared>,
            bytes_compared: Option<u64>,
            diff: Option<&'d Diff<'a>>,
            errors: Vec<serde_json::Value>,
        }
        let file =
            |document: &'_ Document<'_>| -> (Option<u64>, Vec<serde_json::Value>, Vec<serde_json::Value>) {
                let sizes: Option<Vec<u64>> = document.parts.iter().map(|part| part.size).collect();
                let size = sizes
                    .filter(|sizes| !sizes.is_empty())
                    .map(|sizes| sizes.into_iter().fold(0, u64::saturating_add));
                (size, document.problems_json(), document.errors_json())
            };
        let files = documents.map(|document| {
            let (size, problems, errors) = file(document);
            let files = document.parts.iter().map(|part| JsonText(part.name())).collect();
            File { path: JsonText(document.path), files, size, problems, errors }
        });
        let failures = looked.map(|looked| looked.failures.as_slice()).unwrap_or_default();
        let errors = failures.iter().map(|message| {
            json!({ "path": null, "error": { "kind": "io", "code": "other", "message": message, "notes": [], "help": [] } })
        });
        let whole = Whole {
            schema: SCHEMA,
            command: "diff",
            files: files.into(),
            same: diff.and_then(|(_, _, status)| match status {
                OK => Some(true),
                NO => Some(false),
                _ => None,
            }),
            differences: diff.map(|(diff, ..)| diff.count()),
            compared: diff.map(|(_, compared, _)| compared),
            bytes_compared: looked.map(|looked| looked.bytes),
            diff: diff.map(|(diff, ..)| diff),
            errors: errors.collect(),
        };
        write(&mut *out, &whole, true)?;
        writeln!(out)
    }
}

/// What it comes to: whether they are the same, and what that is said of.
fn summary(diff: &Diff<'_>, compared: Compared, looked: &Looked, status: u8) -> Vec<String> {
    let plural =
        |n: u64, one: &str, many: &str| format!("{} {}", units::count(n), if n == 1 { one } else { many });
    let mut parts = Vec::new();
    if compared.metadata {
        parts.push(plural(diff.metadata.same(), "key", "keys"));
    }
    let same = diff.tensors.pairs.iter().filter(|pair| pair.data == Data::Same && !pair.differs());
    let same = same.count() as u64;
    let whole = compared.data && !(status != OK && looked.bytes == 0);
    if compared.tensors {
        let alike = diff.tensors.pairs.iter().filter(|pair| !pair.differs()).count() as u64;
        let text = plural(if whole { same } else { alike }, "tensor", "tensors");
        parts.push(if whole {
            format!("{text} ({} of data compared)", units::bytes(looked.bytes))
        } else {
            text
        });
    }
    let all = compared.header && compared.metadata && compared.data && compared.layout;
    let ignored = [
        (diff.a.ignored_kvs.max(diff.b.ignored_kvs), "key", "keys"),
        (diff.a.ignored_tensors.max(diff.b.ignored_tensors), "tensor", "tensors"),
    ];
    let ignored: Vec<String> =
        ignored.into_iter().filter(|one| one.0 > 0).map(|(n, one, many)| plural(n, one, many)).collect();
    let alike = if parts.is_empty() { String::new() } else { format!("same in both: {}", parts.join(", ")) };
    let mut out = Vec::new();
    out.push(match status {
        OK if all && ignored.is_empty() && diff.room().is_none() => {
            "The files are the same, byte for byte.".to_owned()
        }
        OK => "No difference in what was compared.".to_owned(),
        NO => format!("{}.", plural(diff.count(), "difference", "differences")),
        _ if diff.count() > 0 => {
            format!("{}, and some data could not be read.", plural(diff.count(), "difference", "differences"))
        }
        _ => "No difference is known, and not all could be compared.".to_owned(),
    });
    if !alike.is_empty() {
        let mut alike = alike;
        if let Some(first) = alike.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        out.push(format!("{alike}."));
    }
    let mut not = Vec::new();
    for (what, word) in [
        (compared.header, "the header"),
        (compared.metadata, "metadata"),
        (compared.tensors, "the tensor table"),
        (compared.data, "data"),
        (compared.layout, "the layout"),
    ] {
        if !what {
            not.push(word.to_owned());
        }
    }
    if compared.semantic {
        not.push("order".to_owned());
    }
    if compared.layout && !compared.data {
        not.push("bytes between the data".to_owned());
    }
    if !not.is_empty() {
        out.push(format!("Not compared: {}.", not.join(", ")));
    }
    if let Some((a, b)) = diff.room() {
        out.push(match a == b {
            true => format!("Room in the head: {} in both, not at the same place.", room(a)),
            false => format!("Room in the head: {} in the first, {} in the second.", room(a), room(b)),
        });
    }
    if !ignored.is_empty() {
        out.push(format!("Ignored as asked for: {}.", ignored.join(", ")));
    }
    out
}

fn room(bytes: u64) -> String {
    if bytes == 0 { "none".to_owned() } else { units::bytes(bytes) }
}
