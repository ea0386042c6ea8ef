//! The walk of a reader over a head, step by step.

use ggufkit_format::{Detail, KvPart, Path, Payload, View};
use ggufkit_inspect::hex::{Kind, Step, steps, steps_from};
use serde::Serialize;

use super::bytes::word;
use super::query::Query;
use super::session::Session;
use super::{Answer, MAX_ROWS, json};

/// Elements of an array that are steps of their own, as `gguf hex --steps` has them.
const DETAIL: Detail = Detail::First(4);
/// Every how many steps a place is kept, about.
const STRIDE: u64 = 256;

/// Where steps stand: some of them, so that any is found without a walk over all before it.
#[derive(Debug, Default)]
pub(super) struct StepIndex {
    total: u64,
    /// Number and position of the first step of some records.
    marks: Vec<(u64, u64)>,
}

impl StepIndex {
    fn of(view: &View<'_>) -> Self {
        let mut out = Self::default();
        for field in view.fields(DETAIL) {
            let begins = matches!(
                field.path,
                Path::Kv { part: KvPart::KeyLength, .. }
                    | Path::Tensor { part: ggufkit_format::TensorPart::NameLength, .. }
            );
            out.total = out.total.saturating_add(1);
            let last = out.marks.last().map_or(0, |mark| mark.0);
            if begins && out.total >= last.saturating_add(STRIDE) {
                out.marks.push((out.total, field.span.start));
            }
        }
        out
    }

    /// The last mark that `is_before`; the first step of all where there is none.
    fn mark(&self, view: &View<'_>, is_before: impl Fn(&(u64, u64)) -> bool) -> (u64, u64) {
        let at = self.marks.partition_point(is_before);
        let mark = at.checked_sub(1).and_then(|at| self.marks.get(at)).copied();
        mark.unwrap_or((1, view.index().header().base))
    }
}

#[derive(Serialize)]
struct Steps {
    total: u64,
    steps: Vec<Told>,
}

#[derive(Serialize)]
struct Told {
    step: u64,
    path: String,
    start: u64,
    end: u64,
    kind: String,
    #[serde(rename = "type")]
    ty: String,
    value: String,
    meaning: Option<String>,
    next: Option<String>,
    jumps: bool,
}

pub(super) fn steps_of(session: &Session, query: &Query<'_>) -> Answer {
    let (_, file, view) = session.viewed(query)?;
    let from: u64 = query.number::<u64>("from")?.max(1);
    let count = query.count("count", MAX_ROWS, ("steps", "个步骤"))?;
    let lang = query.lang()?;
    let index = file.steps.get_or_init(|| StepIndex::of(&view));
    let (number, position) = index.mark(&view, |mark| mark.0 <= from);
    let walk = match number {
        1 => steps(view, DETAIL, lang),
        _ => steps_from(view, DETAIL, lang, number, position),
    };
    let wanted = walk.skip_while(|step| step.number < from).take(usize::try_from(count).unwrap_or(0));
    json(&Steps { total: index.total, steps: wanted.map(|step| told(&view, step)).collect() })
}

fn told(view: &View<'_>, step: Step<'_>) -> Told {
    let some = |text: String| (!text.is_empty()).then_some(text);
    let kind = Kind::of(&step.field);
    let jumps = match kind {
        // What is of one size is passed over at once; strings are walked, each length read to find the next.
        Kind::Elements => match &step.field.path {
            Path::Kv { index, .. } => {
                let kv = usize::try_from(*index).ok().and_then(|at| view.index().kvs().get(at));
                kv.is_some_and(|kv| match &kv.payload {
                    Payload::Array(array) => array.element_type.fixed_size().is_some(),
                    _ => false,
                })
            }
            _ => false,
        },
        Kind::Key | Kind::Name | Kind::Text | Kind::Padding | Kind::Unparsed => true,
        _ => false,
    };
    Told {
        step: step.number,
        path: step.field.path.to_string(),
        start: step.field.span.start,
        end: step.field.span.end(),
        kind: word(kind),
        ty: step.note.ty,
        value: step.note.value,
        meaning: some(step.note.meaning),
        next: some(step.next),
        jumps,
    }
}

impl Session {
    /// Steps of a file.
    pub(crate) fn steps(&self, file: usize) -> u64 {
        let Some(file) = self.files.get(file) else { return 0 };
        file.view().map_or(0, |view| file.steps.get_or_init(|| StepIndex::of(&view)).total)
    }
}

#[derive(Serialize)]
struct At {
    step: Option<u64>,
}

pub(super) fn step_at(session: &Session, query: &Query<'_>) -> Answer {
    let (_, file, view) = session.viewed(query)?;
    let offset: u64 = query.number("offset")?;
    let index = file.steps.get_or_init(|| StepIndex::of(&view));
    let (number, position) = index.mark(&view, |mark| mark.1 <= offset);
    let fields = match number {
        1 => view.fields(DETAIL),
        _ => view.fields_from(DETAIL, position),
    };
    let fields = fields.take_while(|field| field.span.start <= offset);
    let found = (number..).zip(fields).find(|(_, field)| field.span.contains(offset));
    json(&At { step: found.map(|(number, _)| number) })
}
