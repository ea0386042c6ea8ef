//! Arrays: resumable inside, nested without recursion.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::anomaly::AnomalyKind;
use crate::error::{ParseError, Reason};
use crate::index::{Array, Payload};
use crate::path::{Element, KvPart, Path};
use crate::span::Span;
use crate::spec::ValueType;

use super::record::{Pending, Stop, Unit};
use super::strings::{self, Verdict};
use super::{Parser, State, Step};

/// One array on the way inwards.
#[derive(Debug)]
struct Level {
    element_type: ValueType,
    count: u64,
    /// Elements that were read; for a level that is not the innermost, the index of the array being read.
    done: u64,
    /// Where the elements begin.
    start: u64,
    /// Bytes of fixed-width elements that were passed.
    passed: u64,
}

/// Where a reading stands inside an array value.
#[derive(Debug)]
pub(super) struct ArrayWalk {
    levels: Vec<Level>,
    root: (ValueType, u64, u64),
    marks: Vec<u64>,
    verdict: Verdict,
    has_text: bool,
    nested: bool,
    odd_bools: u64,
    first_odd_bool: u8,
}

impl ArrayWalk {
    /// A walk over `count` elements that begin at `start`. The last argument is the proof that the count was bounded.
    pub(super) fn new(element_type: ValueType, count: u64, start: u64, (): ()) -> Self {
        Self {
            levels: alloc::vec![Level { element_type, count, done: 0, start, passed: 0 }],
            root: (element_type, count, start),
            marks: Vec::new(),
            verdict: Verdict::default(),
            has_text: false,
            nested: element_type == ValueType::ARRAY,
            odd_bools: 0,
            first_odd_bool: 0,
        }
    }

    /// The element being read, from the outermost index inwards.
    fn element(&self) -> Element {
        let indices: Vec<u64> = self.levels.iter().map(|level| level.done).collect();
        Element::from_indices(&indices)
    }

    /// The array being read: empty for the outermost.
    fn array(&self) -> Element {
        let outer = self.levels.len().saturating_sub(1);
        let indices: Vec<u64> = self.levels.iter().take(outer).map(|level| level.done).collect();
        Element::from_indices(&indices)
    }

    fn into_array(self, end: u64) -> Array {
        let (element_type, count, start) = self.root;
        Array {
            element_type,
            count,
            elements: Span::between(start, end),
            marks: self.marks,
            invalid_utf8: self.has_text.then_some(self.verdict.invalid),
            first_invalid_utf8: self.verdict.first,
        }
    }
}

impl Parser {
    /// Refuses a count over the limit; when the bytes cannot back it anyway, that is the better thing to say.
    pub(super) fn bound_array(
        &self,
        unit: &Unit<'_>,
        index: u64,
        array: Element,
        count: u64,
    ) -> Result<(), Stop> {
        let limit = self.options.limits.max_array;
        if count <= limit {
            return Ok(());
        }
        let reason = match unit.size.map(|s| s.saturating_sub(unit.position())) {
            Some(remaining) if count > remaining => {
                Reason::TooLarge { what: "array length", declared: count, needed: count, remaining }
            }
            _ => Reason::Limit { what: "array length", value: count, limit, option: "max_array" },
        };
        Err(unit.fail(unit.position(), Path::kv(index, KvPart::Count(array)), reason))
    }

    pub(super) fn read_array<'a>(
        &mut self,
        pending: Pending,
        mut walk: ArrayWalk,
        input: &'a [u8],
        more: bool,
    ) -> Result<Step<'a>, ParseError> {
        let mut unit = self.unit(input, more);
        let result = self.walk_array(&mut unit, &mut walk, pending.index);
        self.position = unit.position();
        match result {
            Ok(()) if self.options.strict && walk.odd_bools > 0 => {
                let path = Path::kv(pending.index, KvPart::Value(Element::Whole));
                Err(ParseError::new(pending.value_start, path, Reason::Implausible { what: "bool" }))
            }
            Ok(()) => {
                self.note_array(&walk, pending.index, self.position);
                let array = walk.into_array(self.position);
                Ok(self.finish_value(pending, Payload::Array(Box::new(array)), self.position))
            }
            Err(Stop::Need(min)) => {
                self.state = State::Array(pending, walk);
                Ok(Step::Need { at: self.position, min })
            }
            Err(Stop::Error(error)) => Err(error),
        }
    }

    fn note_array(&mut self, walk: &ArrayWalk, index: u64, end: u64) {
        let (_, _, start) = walk.root;
        let span = Span::between(start, end);
        let whole = || Path::kv(index, KvPart::Value(Element::Whole));
        if walk.nested {
            self.note(AnomalyKind::NestedArray, span, whole());
        }
        if let Some(first) = walk.verdict.first {
            let path = Path::kv(index, KvPart::Value(Element::At(first)));
            self.note(AnomalyKind::InvalidUtf8 { strings: walk.verdict.invalid }, span, path);
        }
        if walk.odd_bools > 0 {
            let kind = AnomalyKind::OddBool { count: walk.odd_bools, first: walk.first_odd_bool };
            self.note(kind, span, whole());
        }
    }

    /// Reads elements until the outermost array is whole (`Ok`) or bytes are missing. `Need` counts from the unit's
    /// position, which has moved past every whole element.
    fn walk_array(&mut self, unit: &mut Unit<'_>, walk: &mut ArrayWalk, index: u64) -> Result<(), Stop> {
        loop {
            let depth = walk.levels.len();
            let Some(level) = walk.levels.last_mut() else { return Ok(()) };
            if level.done >= level.count {
                walk.levels.pop();
                if let Some(parent) = walk.levels.last_mut() {
                    parent.done = parent.done.saturating_add(1);
                }
            } else if level.element_type == ValueType::ARRAY {
                self.enter_array(unit, walk, index, depth)?;
            } else if level.element_type == ValueType::STRING {
                self.walk_strings(unit, walk, index)?;
            } else {
                self.pass_fixed(unit, walk, index)?;
            }
        }
    }

    fn enter_array(
        &mut self,
        unit: &mut Unit<'_>,
        walk: &mut ArrayWalk,
        index: u64,
        depth: usize,
    ) -> Result<(), Stop> {
        let before = unit.at;
        let element = walk.element();
        if depth == 1
            && let Some(level) = walk.levels.first()
            && level.done.is_multiple_of(Array::STRIDE)
            && walk.marks.last() != Some(&unit.position())
        {
            walk.marks.push(unit.position());
        }
        let limit = self.options.limits.max_depth;
        if u32::try_from(depth).unwrap_or(u32::MAX) >= limit {
            let value = u64::try_from(depth).unwrap_or(u64::MAX).saturating_add(1);
            let reason =
                Reason::Limit { what: "array nesting", value, limit: limit.into(), option: "max_depth" };
            return Err(unit.fail(unit.position(), Path::kv(index, KvPart::Value(element)), reason));
        }
        let ty = || Path::kv(index, KvPart::ElementType(element.clone()));
        let count = || Path::kv(index, KvPart::Count(element.clone()));
        let header = unit.array_header(ty, count);
        let (element_type, n) = match header {
            Ok(header) => header,
            Err(stop) => return Err(rewind(unit, before, stop)),
        };
        self.bound_array(unit, index, element, n)?;
        walk.levels.push(Level { element_type, count: n, done: 0, start: unit.position(), passed: 0 });
        Ok(())
    }

    fn walk_strings(&mut self, unit: &mut Unit<'_>, walk: &mut ArrayWalk, index: u64) -> Result<(), Stop> {
        let outer = walk.levels.first().map_or(0, |level| level.done);
        let nested = walk.levels.len() > 1;
        let Some(level) = walk.levels.last_mut() else { return Ok(()) };
        walk.has_text |= self.options.text;
        let layout =
            strings::Layout { endian: unit.endian, short: unit.short, nul: unit.dialect.nul_strings };
        let rest = usize::try_from(unit.at).ok().and_then(|at| unit.input.get(at..)).unwrap_or_default();
        // The budget of the head also bounds the walk.
        let budget = usize::try_from(unit.head_end.saturating_sub(unit.position())).unwrap_or(usize::MAX);
        let rest = rest.get(..budget).unwrap_or(rest);
        let (walked, bytes) = strings::walk(
            rest,
            unit.position(),
            layout,
            level.done,
            level.count.saturating_sub(level.done),
            self.options.limits.max_string,
            nested.then_some(outer),
            self.options.text,
            (!nested).then_some(&mut walk.marks),
            &mut walk.verdict,
        );
        level.done = level.done.saturating_add(walked);
        unit.at = unit.at.saturating_add(bytes.try_into().unwrap_or(u64::MAX));
        if level.done >= level.count {
            return Ok(());
        }
        // The walk stopped before a string that it could not take; reading that one alone tells why.
        let (before, element) = (unit.at, walk.element());
        let length = || Path::kv(index, KvPart::Length(element.clone()));
        let text = || Path::kv(index, KvPart::Value(element.clone()));
        match unit.text(length, text) {
            Err(stop) => Err(rewind(unit, before, stop)),
            Ok(_) => {
                unit.at = before;
                Err(Stop::Need(1))
            }
        }
    }

    /// Passes over elements of fixed width. Where the source's size is known they are jumped over.
    fn pass_fixed(&mut self, unit: &mut Unit<'_>, walk: &mut ArrayWalk, index: u64) -> Result<(), Stop> {
        let array = walk.array();
        let Some(level) = walk.levels.last_mut() else { return Ok(()) };
        let path = || Path::kv(index, KvPart::Value(array.clone()));
        let width = level.element_type.fixed_size().unwrap_or(1);
        let total = level.count.saturating_mul(width);
        let left = total.saturating_sub(level.passed);
        if level.passed == 0 {
            unit.room(total, path)?;
        }
        let rest = usize::try_from(unit.at).ok().and_then(|at| unit.input.get(at..)).unwrap_or_default();
        let there = u64::try_from(rest.len()).unwrap_or(u64::MAX);
        let is_bool = level.element_type == ValueType::BOOL;
        let step = if is_bool || unit.size.is_none() { left.min(there) } else { left };
        if is_bool {
            let bytes = usize::try_from(step).ok().and_then(|n| rest.get(..n)).unwrap_or(rest);
            let odd = bytes.iter().filter(|&&b| b > 1).count();
            if odd > 0 && walk.odd_bools == 0 {
                walk.first_odd_bool = bytes.iter().copied().find(|&b| b > 1).unwrap_or(0);
            }
            walk.odd_bools = walk.odd_bools.saturating_add(odd.try_into().unwrap_or(u64::MAX));
        }
        level.passed = level.passed.saturating_add(step);
        unit.at = unit.at.saturating_add(step);
        if level.passed >= total {
            level.done = level.count;
            return Ok(());
        }
        if unit.more {
            return Err(Stop::Need(1));
        }
        let reason = Reason::UnexpectedEnd { needed: total, remaining: level.passed };
        Err(unit.fail(level.start, path(), reason))
    }
}

/// Makes a `Need` count from `before`, where the unit goes back to, so that no element is half taken.
fn rewind(unit: &mut Unit<'_>, before: u64, stop: Stop) -> Stop {
    unit.at = before;
    match stop {
        Stop::Need(end) => Stop::Need(end.saturating_sub(before)),
        error => error,
    }
}
