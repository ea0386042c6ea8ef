//! Cutting files apart that were joined end to end.

use ggufkit_format::naming::{parse_shard_suffix, shard_name};
use ggufkit_format::{Index, Options, Plan, Span, View, shorten};
use ggufkit_io::{Diagnosis, HeadBuffer, diagnose};

use super::{Input, Outcome, Output, Reason, RepairError, Step, readable};
use crate::placement::Placement;

/// Parts that a file is cut into, at most.
const MAX_PARTS: usize = 10_000;

/// One of the files that were joined.
struct Part {
    span: Span,
    /// Its number, from 0, and their count, as its metadata has them.
    shard: Option<(u64, u64)>,
}

/// Plans the files that were joined, each as it stands.
pub(super) fn separate(
    input: &Input<'_>,
    options: Options,
    index: &Index,
    diagnosis: &Diagnosis,
) -> Result<Outcome, RepairError> {
    let size = options.size.unwrap_or(0);
    if diagnosis.joined.is_none() {
        return Err(Reason::new(
            "not-joined",
            "no second GGUF begins in this file: there is nothing to cut apart",
        )
        .into());
    }
    let mut parts = Vec::new();
    let mut start = options.base;
    let mut buffer = HeadBuffer::new();
    loop {
        let here = options.with_base(start);
        let read = buffer.read(input.source, here)?;
        let found = diagnose(input.source, here, &read, buffer.bytes())?;
        let index = readable(&read, &found).map_err(|reason| Reason {
            message: format!("what begins at {start:#x} is no GGUF that can be read: {}", reason.message),
            ..reason
        })?;
        let placement = Placement::of(index, found.joined.unwrap_or(size));
        if let Some(problem) = placement.problems.first() {
            let message = format!("the GGUF at {start:#x} is not in one piece: {problem}");
            return Err(Reason::new("not-separable", message).at(Span::new(start, 4)).into());
        }
        let end = found.joined.unwrap_or(size);
        let view = View::new(index, buffer.bytes());
        let number = |key| view.get(key).and_then(|value| value.as_u64());
        let shard = number("split.no").zip(number("split.count"));
        parts.push(Part { span: Span::between(start, end), shard });
        match found.joined {
            Some(next) if parts.len() < MAX_PARTS => start = next,
            Some(_) => {
                return Err(Reason::new(
                    "too-many-parts",
                    format!("more than {MAX_PARTS} GGUF files were joined"),
                )
                .into());
            }
            None => break,
        }
    }
    let names = names(&parts, input.file_name.unwrap_or("part.gguf"));
    let mut outcome = Outcome {
        steps: Vec::new(),
        left: Vec::new(),
        errors: 0,
        outputs: Vec::new(),
        dialect: index.header().dialect,
    };
    for (part, name) in parts.iter().zip(names) {
        let mut plan = Plan::new();
        plan.copy(part.span).map_err(|error| Reason::of(&error.into()))?;
        let what = format!(
            "write the GGUF at {:#x} to {}, as it is",
            part.span.start,
            shorten(name.as_bytes(), 200)
        );
        outcome.steps.push(Step::new("joined-files", what, "unparsed", part.span));
        outcome.outputs.push(Output { file_name: Some(name), plan });
    }
    Ok(outcome)
}

/// Names for the parts: those of a set's shards where they are one, else the file's name with numbers.
fn names(parts: &[Part], file_name: &str) -> Vec<String> {
    let stem = match parse_shard_suffix(file_name) {
        Some(suffix) => suffix.prefix,
        None => file_name.strip_suffix(".gguf").unwrap_or(file_name),
    };
    let shards: Option<Vec<(u32, u32)>> = parts
        .iter()
        .map(|part| {
            let (no, count) = part.shard?;
            let (no, count) = (u32::try_from(no).ok()?.checked_add(1)?, u32::try_from(count).ok()?);
            (no <= count && count <= 99_999).then_some((no, count))
        })
        .collect();
    let counts =
        |shards: &[(u32, u32)]| shards.first().is_some_and(|one| shards.iter().all(|other| one.1 == other.1));
    let distinct = |shards: &[(u32, u32)]| {
        let mut numbers: Vec<u32> = shards.iter().map(|(no, _)| *no).collect();
        numbers.sort_unstable();
        numbers.array_windows().all(|[one, next]| one < next)
    };
    match shards.filter(|shards| counts(shards) && distinct(shards)) {
        Some(shards) => shards.into_iter().map(|(no, count)| shard_name(stem, no, count)).collect(),
        None => (1..=parts.len()).map(|no| format!("{stem}.{no}.gguf")).collect(),
    }
}
