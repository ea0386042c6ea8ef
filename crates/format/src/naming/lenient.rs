//! Names as people write them.
//!
//! A name is peeled from the right, where habits agree most: the extension (and what a downloader or a splitter put
//! behind it), the shard, then encoding and type in either order. A sidecar's word is looked for at the front, at the
//! end, then inside. What is left is read from the left: the base name runs up to the size label, behind
//! which come fine-tune and version. Every step looks at each byte a bounded number of times.

use super::deviation::{diagnose, style};
use super::encoding::{MAX_LEN, is_known_encoding};
use super::shard::{bytes_part, peel_loose};
use super::word::{decimal, is_dotted_number, is_loose_version, is_size_attribute, size_scale};
use super::{NameKind, NameParts, Part, PartKind, parse_strict};
use alloc::vec::Vec;

const EXTENSION: &str = ".gguf";

/// Words that begin what a model was tuned for, where no size label ends the base name.
const FINE_TUNES: [&str; 10] = [
    "instruct",
    "inst",
    "chat",
    "thinking",
    "reasoning",
    "assistant",
    "dpo",
    "orpo",
    "abliterated",
    "uncensored",
];

/// Words that do so only at the end of a name; elsewhere they are words like any other.
const LAST_FINE_TUNES: [&str; 5] = ["it", "sft", "rlhf", "qat", "distill"];

/// The parts of any name, as far as they can be told, with the reasons why it is not the convention's.
///
/// A name that keeps to the convention's pattern is read by the pattern ([`parse_strict`]). Any other is read
/// generously: `.` and `_` separate like `-`, encodings and types are known words, the version may be missing. The
/// result is a guess, to be shown beside the file's metadata and never instead of it.
///
/// ```
/// # use ggufkit_format::naming::parse_lenient;
/// let name = parse_lenient("Qwen3-30B-A3B-Instruct-2507-UD-Q4_K_XL.gguf");
/// assert_eq!(name.base_name.unwrap().text, "Qwen3");
/// assert_eq!(name.size_label.unwrap().text, "30B-A3B");
/// assert_eq!(name.fine_tune.unwrap().text, "Instruct-2507");
/// assert_eq!(name.encoding.unwrap().text, "UD-Q4_K_XL");
/// assert!(!name.strict);
/// ```
#[must_use]
pub fn parse_lenient(name: &str) -> NameParts<'_> {
    if let Some(mut parts) = parse_strict(name) {
        // `Foo-7B-v1.0-lora`: the pattern takes the word for an encoding, a person does not.
        if parts.kind == NameKind::Model {
            parts.kind = parts.encoding.and_then(|p| kind_of(p.text)).unwrap_or_default();
        }
        return parts;
    }
    let mut parts = NameParts::empty(name);
    let mut peel = Peel { name, start: 0, end: name.len() };
    peel.extension(&mut parts);
    peel.copy_number(&mut parts);
    peel.shard(&mut parts);
    peel.second_extension(&mut parts);
    peel.front_word(&mut parts);
    // Either may stand last: `F16-LoRA` is the convention's order, `mmproj-F16` and `LoRA-F16` are common.
    for _ in 0..2 {
        peel.encoding(&mut parts);
        peel.last_word(&mut parts);
    }
    if parts.kind == NameKind::Model {
        peel.inner_word(&mut parts);
    }
    let words = words_of(name, peel.start, peel.end);
    read_model(name, &words, &mut parts);
    style(&mut parts);
    diagnose(&mut parts);
    parts
}

/// The stretch of the name that has no role yet.
struct Peel<'a> {
    name: &'a str,
    start: usize,
    end: usize,
}

impl<'a> Peel<'a> {
    fn text(&self) -> &'a str {
        self.name.get(self.start..self.end).unwrap_or("")
    }

    /// Finds the last `.gguf`. What follows is a part's number, or the mark of a downloader, or has no role.
    fn extension(&mut self, parts: &mut NameParts<'a>) {
        let Some(at) = find_last_ignore_case(self.name, EXTENSION) else { return };
        let after = at.saturating_add(EXTENSION.len());
        parts.extension = Part::between(self.name, at, after);
        self.end = at;
        let Some(tail) = Part::between(self.name, after, self.name.len()).filter(|t| !t.text.is_empty())
        else {
            return;
        };
        match bytes_part(tail.text) {
            Some(shard) => {
                parts.shard = Some(shard);
                // The text without its separator, which is one ASCII byte.
                parts.shard_text = Part::between(self.name, after.saturating_add(1), self.name.len());
            }
            None => parts.rest.push(tail),
        }
    }

    fn shard(&mut self, parts: &mut NameParts<'a>) {
        if parts.shard.is_some() {
            return;
        }
        if let Some((end, text, shard)) = peel_loose(self.name, self.start, self.end) {
            parts.shard = Some(shard);
            parts.shard_text = Some(text);
            self.end = end;
        }
    }

    /// ` (1)`, which browsers and file managers put behind the name of a second copy.
    fn copy_number(&mut self, parts: &mut NameParts<'a>) {
        let text = self.text();
        let Some((before, no)) = text.strip_suffix(')').and_then(|t| t.rsplit_once('(')) else { return };
        if !no.is_empty() && no.bytes().all(|b| b.is_ascii_digit()) {
            let at = self.start.saturating_add(before.len());
            parts.rest.extend(Part::between(self.name, at, self.end));
            self.end = at;
            self.trim();
        }
    }

    /// A second `.gguf` or `-GGUF` before the shard or the extension, as in `x.gguf-00001-of-00009.gguf`.
    fn second_extension(&mut self, parts: &mut NameParts<'a>) {
        let text = self.text();
        let Some(at) = text.rfind(is_separator).map(|at| at.saturating_add(1)) else { return };
        if text.get(at..).is_some_and(|word| word.eq_ignore_ascii_case("gguf")) {
            let at = self.start.saturating_add(at);
            parts.rest.extend(Part::between(self.name, at, self.end));
            self.end = at;
            self.trim();
        }
    }

    /// A sidecar or type at the front: `mmproj-…`, `mtp-…`, `lora-…`, `ggml-vocab-…`.
    fn front_word(&mut self, parts: &mut NameParts<'a>) {
        let text = self.text();
        let skipped = match text.get(..5) {
            Some(head) if head.eq_ignore_ascii_case("ggml-") => 5_usize,
            _ => 0,
        };
        let body = text.get(skipped..).unwrap_or("");
        let len = body.find(is_separator).unwrap_or(body.len());
        let Some(kind) = body.get(..len).and_then(kind_of) else { return };
        parts.rest.extend(trimmed(self.name, self.start, self.start.saturating_add(skipped)));
        let start = self.start.saturating_add(skipped);
        let end = start.saturating_add(len);
        set_kind(parts, kind, Part::between(self.name, start, end));
        self.start = end;
        self.trim();
    }

    /// The longest encoding at the end.
    fn encoding(&mut self, parts: &mut NameParts<'a>) {
        if parts.encoding.is_some() {
            return;
        }
        let text = self.text();
        let from = text.len().saturating_sub(MAX_LEN);
        let starts = text
            .bytes()
            .enumerate()
            .skip(from)
            .filter_map(|(at, b)| is_separator(char::from(b)).then_some(at.saturating_add(1)));
        let whole = (from == 0).then_some(0);
        let Some(at) =
            whole.into_iter().chain(starts).find(|at| text.get(*at..).is_some_and(is_known_encoding))
        else {
            return;
        };
        let start = self.start.saturating_add(at);
        parts.encoding = Part::between(self.name, start, self.end);
        self.end = start;
        self.trim();
    }

    /// A sidecar or type at the end.
    fn last_word(&mut self, parts: &mut NameParts<'a>) {
        if parts.kind != NameKind::Model {
            return;
        }
        let text = self.text();
        let at = text.rfind(is_separator).map_or(0, |at| at.saturating_add(1));
        let Some(kind) = text.get(at..).and_then(kind_of) else { return };
        let start = self.start.saturating_add(at);
        set_kind(parts, kind, Part::between(self.name, start, self.end));
        self.end = start;
        self.trim();
    }

    /// `mmproj` in the middle, as in `minicpm-v-mmproj-model`: no model is called that. What follows has no role.
    fn inner_word(&mut self, parts: &mut NameParts<'a>) {
        let mut at = self.start;
        for word in self.text().split(is_separator) {
            let end = at.saturating_add(word.len());
            if word.eq_ignore_ascii_case("mmproj") {
                set_kind(parts, NameKind::Mmproj, Part::between(self.name, at, end));
                parts.rest.extend(trimmed(self.name, end, self.end));
                self.end = at;
                self.trim();
                return;
            }
            at = end.saturating_add(1);
        }
    }

    /// Drops separators at both ends.
    fn trim(&mut self) {
        match trimmed(self.name, self.start, self.end) {
            Some(part) => (self.start, self.end) = (part.start, part.end()),
            None => self.end = self.start,
        }
    }
}

/// The stretch without the separators around it; nothing when nothing is left.
fn trimmed(name: &str, start: usize, end: usize) -> Option<Part<'_>> {
    let text = name.get(start..end)?;
    let front = text.trim_start_matches(is_separator);
    let start = start.checked_add(text.len().checked_sub(front.len())?)?;
    let text = front.trim_end_matches(is_separator);
    if text.is_empty() { None } else { Some(Part { text, start }) }
}

fn set_kind<'a>(parts: &mut NameParts<'a>, kind: NameKind, part: Option<Part<'a>>) {
    parts.kind = kind;
    if kind.is_sidecar() {
        parts.sidecar = part;
    } else {
        parts.type_word = part;
    }
}

/// The kind of file that a word stands for, in any case.
fn kind_of(word: &str) -> Option<NameKind> {
    [NameKind::Lora, NameKind::Vocab, NameKind::Mmproj, NameKind::Mtp, NameKind::Imatrix]
        .into_iter()
        .find(|kind| kind.word().is_some_and(|w| w.eq_ignore_ascii_case(word)))
}

/// What separates words in the wild. (A dot between digits does not: see [`words_of`].)
const fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | '.' | ' ')
}

/// The words of a stretch. A dot between two digits belongs to its word (`3.1`, `v0.2`, `0.5B`).
fn words_of(name: &str, start: usize, end: usize) -> Vec<Part<'_>> {
    let mut words = Vec::new();
    let bytes = name.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let mut from = start;
    for at in start..=end {
        let ends = match bytes.get(at) {
            _ if at == end => true,
            Some(b'.') => {
                let inside = |p: &usize| (start..end).contains(p);
                !(is_digit(at.checked_sub(1).filter(inside)) && is_digit(at.checked_add(1).filter(inside)))
            }
            Some(b) => is_separator(char::from(*b)),
            None => true,
        };
        if ends {
            words.extend(Part::between(name, from, at).filter(|w| !w.text.is_empty()));
            from = at.saturating_add(1);
        }
    }
    words
}

/// Base name, size label, fine-tune and version.
fn read_model<'a>(name: &'a str, words: &[Part<'a>], parts: &mut NameParts<'a>) {
    // From the first byte of one word to the last of another; nothing when the run is empty.
    let run = |from: usize, to: usize| {
        let last = to.checked_sub(1).filter(|last| *last >= from)?;
        Part::between(name, words.get(from)?.start, words.get(last)?.end())
    };
    let len = words.len();
    let Some((size, size_end)) = find_size(words) else {
        // A version only at the very end, in lower case: `V3` in `DeepSeek-V3` is part of the name.
        let version = last_version(name, words).filter(|(at, end)| {
            *at > 0 && *end == len && words.get(*at).is_some_and(|w| w.text.starts_with('v'))
        });
        let end = version.map_or(len, |(at, _)| at);
        let named = words.get(..end).unwrap_or(&[]);
        let is_any =
            |word: &Part<'_>, known: &[&str]| known.iter().any(|k| word.text.eq_ignore_ascii_case(k));
        let base_end = match named.iter().skip(1).position(|w| is_any(w, &FINE_TUNES)) {
            Some(at) => at.saturating_add(1),
            None => {
                let tuned = named.iter().skip(1).rev().take_while(|w| is_any(w, &LAST_FINE_TUNES)).count();
                end.saturating_sub(tuned)
            }
        };
        parts.base_name = run(0, base_end);
        parts.fine_tune = run(base_end, end);
        parts.version = version.and_then(|(at, end)| run(at, end));
        return;
    };
    parts.base_name = run(0, size);
    parts.size_label = run(size, size_end);
    let Some((at, next)) = last_version(name, words).filter(|(at, _)| *at >= size_end) else {
        parts.fine_tune = run(size_end, len);
        return;
    };
    parts.version = run(at, next);
    parts.fine_tune = run(size_end, at);
    let behind = run(next, len);
    if parts.fine_tune.is_none() {
        // `vicuna-13b-v1.5-16k`
        parts.fine_tune = behind;
    } else {
        parts.rest.extend(behind);
    }
}

/// The words of the last version: one, or two where the dot was written as `_` (`v1_5`).
fn last_version(name: &str, words: &[Part<'_>]) -> Option<(usize, usize)> {
    let at = words.iter().rposition(|w| is_loose_version(w.text))?;
    let next = at.saturating_add(1);
    let minor = words.get(at).zip(words.get(next)).is_some_and(|(version, minor)| {
        name.get(version.end()..minor.start) == Some("_")
            && minor.text.len() <= 2
            && decimal(minor.text).is_some()
    });
    Some((at, if minor { next.saturating_add(1) } else { next }))
}

/// The words of the size label: the first word that counts billions or more, else millions, else thousands.
fn find_size(words: &[Part<'_>]) -> Option<(usize, usize)> {
    let first = |rank: u8| words.iter().position(|w| size_rank(w.text) == Some(rank));
    let at = (0..=2).find_map(first)?;
    let next = at.saturating_add(1);
    let follows = words.get(next).is_some_and(|w| is_loose_attribute(w.text));
    Some((at, if follows { next.saturating_add(1) } else { next }))
}

/// How readily a word passes for a size label, 0 first. `8x7B`, `0.5b`; `A13B` and `E2B`, active and effective
/// parameters, where no total is given.
fn size_rank(word: &str) -> Option<u8> {
    let bare = word.strip_prefix(['A', 'E', 'a', 'e']);
    let of_total = bare.is_none();
    let count = bare.unwrap_or(word);
    // `8X7B`
    let scale = match count.split_once('X') {
        Some((experts, each)) if is_dotted_number(experts) => size_scale(each),
        _ => size_scale(count),
    }?;
    match scale {
        'B' | 'b' | 'T' => Some(0),
        'M' | 'm' if of_total => Some(1),
        // A lower-case or round `k` is the length of a context.
        'K' if of_total && !is_context_length(count) => Some(2),
        'Q' if of_total => Some(2),
        _ => None,
    }
}

/// The numbers of thousands that stand for the length of a context.
fn is_context_length(word: &str) -> bool {
    const LENGTHS: [&str; 20] = [
        "1", "2", "4", "8", "10", "16", "20", "32", "64", "80", "100", "128", "131", "160", "200", "256",
        "262", "512", "1024", "1048",
    ];
    word.strip_suffix('K').is_some_and(|n| LENGTHS.contains(&n))
}

/// A second word of a size label: active parameters (`A3B`, `a400m`, or plain `7B` after `1B`), experts
/// (`16E`), or the convention's `ContextLength4k`.
fn is_loose_attribute(word: &str) -> bool {
    let scale = size_scale(word);
    if matches!(scale, Some('E' | 'B' | 'b')) && !word.contains('x') {
        return true;
    }
    if let Some(active) = word.strip_prefix(['A', 'a']) {
        return matches!(size_scale(active), Some('B' | 'b' | 'M' | 'm'));
    }
    is_size_attribute(word) && word.starts_with("ContextLength")
}

/// Position of the last occurrence of an ASCII text, in any case.
fn find_last_ignore_case(name: &str, wanted: &str) -> Option<usize> {
    name.as_bytes().windows(wanted.len()).rposition(|w| w.eq_ignore_ascii_case(wanted.as_bytes()))
}

impl NameParts<'_> {
    /// Where a part stands among the others in a conventional name.
    pub(super) const fn place(kind: PartKind) -> u8 {
        match kind {
            PartKind::Sidecar => 0,
            PartKind::BaseName => 1,
            PartKind::SizeLabel => 2,
            PartKind::FineTune => 3,
            PartKind::Version => 4,
            PartKind::Encoding => 5,
            PartKind::Type => 6,
            PartKind::Shard => 7,
            PartKind::Extension => 8,
            PartKind::Rest => 9,
        }
    }
}
