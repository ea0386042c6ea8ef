//! Putting right what can be put right without inventing anything.
//!
//! Every repair keeps what the file says: values, names and weights are moved, retyped where the number fits, or freed of
//! what a writer's slip added to them. What would need a guess is refused, all of it at once and each with its place, and
//! nothing is planned then.
//!
//! What is done, in this order:
//!
//! * mis-written layouts and versions 1 and 2 become the standard layout, version 3; a big-endian file stays one;
//! * byte order marks before keys and strings, NULs at the end of keys, strings and tensor names go;
//! * bool bytes above 1 become 1;
//! * integers get the type that loaders ask for, where they fit;
//! * of keys that occur again with the same value one stays; with different values [`Duplicates`] decides;
//! * `split.*` keys go from a file that is whole;
//! * what findings of the rules propose as safe;
//! * an alignment that is no power of two becomes 32;
//! * the data is laid out in its canonical form: in the order of the table, aligned, without gaps, zeros as padding.

mod data;
mod findings;
mod head;
mod result;
mod separate;
mod step;

pub use step::{Outcome, Output, Reason, Refusal, Step};

use std::fmt;
use std::io;

use ggufkit_check::{File, Source, Subject};
use ggufkit_format::identify::Identity;
use ggufkit_format::spec::ValueType;
use ggufkit_format::{ByteStr, Dialect, Endian, Index, Options, Outcome as Read, Plan, Span, View, dialect};
use ggufkit_io::{Diagnosis, HeadBuffer, diagnose};

use self::result::Before;
use crate::document::Document;
use crate::error::EditError;

/// What becomes of a key that occurs more than once with different values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Duplicates {
    /// The file is refused: somebody has to say which value is right.
    #[default]
    Refuse,
    /// The first one stays.
    KeepFirst,
    /// The last one stays.
    KeepLast,
}

/// What may be done.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Policy {
    /// Keys that occur again with another value.
    pub duplicates: Duplicates,
    /// Whether bytes that follow the data and belong to nothing go.
    pub cut_trailing: bool,
    /// Whether bytes between tensors that belong to none go though they are not zero.
    pub drop_gaps: bool,
    /// Whether GGUF files that were joined are cut apart, and nothing else is done.
    pub separate: bool,
    /// Whether the repairs above are done, or only those that findings propose.
    pub own: bool,
    /// Which rules may propose repairs, and how many each.
    pub rules: ggufkit_check::Options,
}

impl Default for Policy {
    fn default() -> Self {
        let rules = ggufkit_check::Options { per_rule: 1000, ..ggufkit_check::Options::default() };
        Self {
            duplicates: Duplicates::Refuse,
            cut_trailing: false,
            drop_gaps: false,
            separate: false,
            own: true,
            rules,
        }
    }
}

/// The file to be repaired.
#[derive(Clone, Copy)]
pub struct Input<'a> {
    /// Its bytes.
    pub source: &'a Source,
    /// What it is called, byte for byte: its path as given.
    pub label: ByteStr<'a>,
    /// Its name without folders, where it has one.
    pub file_name: Option<&'a str>,
    /// How its head is read. A mis-written layout is recognised when none is named.
    pub read: Options,
}

/// Why there is no plan.
#[derive(Debug)]
pub enum RepairError {
    /// The source could not be read.
    Io(io::Error),
    /// The file cannot be repaired without a guess.
    Refused(Refusal),
}

impl fmt::Display for RepairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
        }
    }
}

impl std::error::Error for RepairError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Refused(refusal) => Some(refusal),
        }
    }
}

impl From<io::Error> for RepairError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Reason> for RepairError {
    fn from(reason: Reason) -> Self {
        Self::Refused(Refusal { reasons: vec![reason] })
    }
}

/// Reads a file's head, decides what is to be done, and plans it. Nothing is written.
///
/// # Errors
/// The source's, and a [`Refusal`] that lists everything that would need a guess.
pub fn repair(input: &Input<'_>, policy: &Policy) -> Result<Outcome, RepairError> {
    let Some(size) = input.source.size() else {
        return Err(Reason::new(
            "no-length",
            "a stream cannot be repaired: its data is gone when the plan is made",
        )
        .into());
    };
    let mut options = input.read.with_size(Some(size));
    let mut buffer = HeadBuffer::new();
    let mut read = buffer.read(input.source, options)?;
    let mut diagnosis = diagnose(input.source, options, &read, buffer.bytes())?;
    if let Some(dialect) = diagnosis.dialect.filter(|_| options.dialect == Dialect::STANDARD) {
        options = options.with_dialect(dialect);
        read = buffer.read(input.source, options)?;
        diagnosis = diagnose(input.source, options, &read, buffer.bytes())?;
    }
    let index = readable(&read, &diagnosis)?;
    if policy.separate {
        return separate::separate(input, options, index, &diagnosis);
    }
    let view = View::new(index, buffer.bytes());
    let document = Document::of(view, size).map_err(|error| Reason::of(&error))?;
    let mut work = Work {
        document,
        view,
        size,
        policy,
        source: input.source,
        file_name: input.file_name,
        steps: Vec::new(),
        reasons: Vec::new(),
        more: 0,
        left: Vec::new(),
        errors: 0,
        before: Before::default(),
        relayout: false,
    };
    if let Some(at) = diagnosis.joined {
        let message = format!("a second GGUF begins at {at:#x}, inside this file");
        work.refuse(Reason::new("joined-files", message).at(Span::new(at, 4)));
    }
    work.standard_layout();
    if policy.own {
        // What goes as it is needs no repair first.
        work.duplicates(true)?;
        work.texts()?;
        work.bools()?;
        work.integers()?;
        work.duplicates(false)?;
        work.split_keys()?;
    }
    let file = File {
        label: input.label,
        file_name: input.file_name,
        size: Some(size),
        view: Some(view),
        error: None,
        diagnosis: &diagnosis,
        source: Some(input.source),
    };
    work.findings(&Subject::single(&file))?;
    if policy.own {
        work.alignment()?;
        work.names();
    }
    work.finish()
}

/// The index of a head that was read to its end.
fn readable<'a>(read: &'a Read, diagnosis: &Diagnosis) -> Result<&'a Index, Reason> {
    if let Some(identity) = &diagnosis.identity {
        return Err(match (identity, identity.help()) {
            // What precedes the magic may be all that is wrong, and may not: somebody has to look.
            (Identity::GgufAfter { offset, .. }, _) => {
                Reason::new("gguf-after", identity.describe()).at(Span::new(*offset as u64, 4))
            }
            (_, Some(help)) => Reason::new("not-gguf", identity.describe()).help(help),
            (_, None) => Reason::new("not-gguf", identity.describe()),
        });
    }
    if let Some(outside) = &diagnosis.outside {
        let message = outside.message();
        let reason = Reason::new("offset-outside", message.text);
        return Err(match message.help {
            Some(help) => reason.help(help),
            None => reason,
        });
    }
    match (&read.index, &read.error) {
        (_, Some(error)) => {
            let reason = Reason::new("unreadable-head", error.to_string()).at(Span::new(error.offset(), 0));
            Err(match error.help() {
                Some(help) => reason.help(help),
                None => reason,
            })
        }
        (Some(index), None) => Ok(index),
        (None, None) => Err(Reason::new("unreadable-head", "the file has no header")),
    }
}

/// A repair that is being decided.
struct Work<'a> {
    document: Document<'a>,
    view: View<'a>,
    size: u64,
    policy: &'a Policy,
    source: &'a Source,
    file_name: Option<&'a str>,
    steps: Vec<Step>,
    reasons: Vec<Reason>,
    /// Reasons beyond those that are kept.
    more: u64,
    left: Vec<Reason>,
    /// Errors that the rules find in the file as it is.
    errors: u64,
    /// What all rules say of the file as it is.
    before: Before,
    /// Whether a finding asked for a new layout of the data.
    relayout: bool,
}

/// How often what a repair brings about is repaired with it.
const ROUNDS: u32 = 4;

/// Reasons that are listed one by one.
const MAX_REASONS: usize = 200;

impl<'a> Work<'a> {
    fn index(&self) -> &'a Index {
        self.view.index()
    }

    fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    fn refuse(&mut self, reason: Reason) {
        if self.reasons.len() < MAX_REASONS {
            self.reasons.push(reason);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// A head that is not in the standard layout of version 3 becomes one.
    fn standard_layout(&mut self) {
        let header = self.index().header();
        if header.base > 0 {
            let what = format!("leave out the {} bytes before the magic", header.base);
            self.step(Step::new("leading-bytes", what, "unparsed", Span::new(0, header.base)));
        }
        if header.dialect != Dialect::STANDARD {
            let half = self.index().kvs().iter().filter(|kv| is_half(kv)).count();
            let before = dialect::describe(&header.dialect);
            let what = "write the head anew in the standard layout";
            let head = self.index().head();
            let step = Step::new("mis-written-layout", what, "header", head);
            self.step(step.change(before, "standard layout, version 3"));
            if half > 0 {
                let what = format!(
                    "write {half} half-precision values as f32, which the format has; the numbers are the same"
                );
                self.step(Step::new("half-precision", what, "kv", head).change("f16", "f32"));
            }
        } else if header.version != 3 && (self.policy.own || !self.document.copies()) {
            self.document.rewrite();
            let span = Span::new(header.base.saturating_add(4), 4);
            let code = match (header.version, header.endian) {
                (1, Endian::Little) => "early-version",
                (_, Endian::Big) => "early-big-endian",
                _ => "old-version",
            };
            let step = Step::new(code, "write version 3", "header.version", span);
            self.step(step.change(format!("version {}", header.version), "version 3"));
        }
    }

    /// Decides about the data, and looks at what comes of all that was decided. A repair may bring about what findings
    /// propose to change, as where the head gets shorter and tensors lie otherwise than before: that is done too.
    fn finish(mut self) -> Result<Outcome, RepairError> {
        for round in 0..=ROUNDS {
            let (data, relayout) = (self.document.data_state(), self.relayout);
            let (steps, left) = (self.steps.len(), self.left.len());
            self.data()?;
            self.refused()?;
            let plan = self.document.plan().map_err(|error| Reason::of(&error))?;
            plan.verify(self.size).map_err(|error| Reason::of(&EditError::from(error)))?;
            if self.steps.is_empty() {
                return Ok(self.outcome(plan));
            }
            let report = result::look(&plan, self.source, self.size)?;
            let follows = if round < ROUNDS { self.follows(&report) } else { Vec::new() };
            if follows.is_empty() {
                self.before.compare(&report)?;
                return Ok(self.outcome(plan));
            }
            drop(plan);
            self.document.set_data(data);
            self.relayout = relayout;
            self.steps.truncate(steps);
            self.left.truncate(left);
            self.follow(follows)?;
        }
        Err(Reason::new("result-worse", "every repair makes another one necessary").into())
    }

    fn outcome(self, plan: Plan) -> Outcome {
        let dialect = self.index().header().dialect;
        Outcome {
            steps: self.steps,
            left: self.left,
            errors: self.errors,
            outputs: vec![Output { file_name: None, plan }],
            dialect,
        }
    }

    /// The reasons to refuse the file that there are by now.
    fn refused(&mut self) -> Result<(), RepairError> {
        if self.more > 0 {
            let message = format!("{} more reasons like these", self.more);
            self.reasons.push(Reason::new("more", message));
        }
        if !self.reasons.is_empty() {
            return Err(RepairError::Refused(Refusal { reasons: std::mem::take(&mut self.reasons) }));
        }
        Ok(())
    }
}

/// Whether a key-value holds half precision, alone or in an array.
fn is_half(kv: &ggufkit_format::Kv) -> bool {
    match &kv.payload {
        ggufkit_format::Payload::Array(array) => array.element_type == ValueType::FLOAT16,
        _ => kv.value_type == ValueType::FLOAT16,
    }
}
