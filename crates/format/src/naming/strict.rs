//! The convention's pattern, by hand.
//!
//! The regular expression of `docs/gguf.md` nests repetitions in its base name, so that an engine that backtracks can
//! be kept busy for ever by a name of some dozen characters, and it uses a look-ahead, which engines that do not
//! backtrack lack. Its language is simple, though: no part but the size label, the version and the extension holds a
//! `.`, and each part ends at a `-` or at the extension. So the name without `.gguf` is a list of words, and
//! every part is a run of whole words. At most five words follow the version (encoding, type, three of the
//! shard), which leaves six places for the version; the base name can only end before a word that looks like a size.
//! One pass over the words for each of these six finds the match that a backtracking engine would find first.

use super::deviation::style;
use super::word::{
    five_digits, is_later_base_word, is_pattern_encoding, is_plain_word, is_size_attribute, is_version,
    size_scale,
};
use super::{NameKind, NameParts, Part, Shard, ShardStyle};
use alloc::vec::Vec;

/// The words after the version at most: encoding, type, and `NNNNN`, `of`, `NNNNN`.
const TAIL_MAX: usize = 5;

/// The parts of a name that keeps to the convention's pattern, or nothing.
///
/// Accepts exactly what the regular expression in ggml's `docs/gguf.md` accepts and gives each part the text that the
/// expression captures, in time linear in the name. Note that the pattern demands a version (`Qwen3-0.6B-Q4_K_M.gguf`
/// is not accepted), takes any word for an encoding, and lets the size label be absent only by leaving its place empty
/// (`Foo--v1.0.gguf`).
#[must_use]
pub fn parse_strict(name: &str) -> Option<NameParts<'_>> {
    let stem = name.strip_suffix(".gguf")?;
    let words = words_of(stem);
    let versions = versions_of(&words);
    // The sidecar is optional and tried first; when the rest does not match with it, it is a word of the base name.
    let found = if words.first().is_some_and(|w| sidecar_kind(w.text).is_some()) {
        find(&words, 1, &versions).or_else(|| find(&words, 0, &versions))
    } else {
        find(&words, 0, &versions)
    }?;
    let mut parts = found.into_parts(name, &words)?;
    parts.extension = Part::between(name, stem.len(), name.len());
    style(&mut parts);
    Some(parts)
}

/// The sidecar that a word names, in the pattern's own spelling.
fn sidecar_kind(word: &str) -> Option<NameKind> {
    match word {
        "mmproj" => Some(NameKind::Mmproj),
        "mtp" => Some(NameKind::Mtp),
        _ => None,
    }
}

/// The words between the hyphens. Two hyphens in a row have an empty word between them.
fn words_of(stem: &str) -> Vec<Part<'_>> {
    let mut start = 0_usize;
    stem.split('-')
        .map(|text| {
            let part = Part { text, start };
            start = part.end().saturating_add(1);
            part
        })
        .collect()
}

/// A place where the version may stand.
struct Version {
    /// Index of the version's word.
    at: usize,
    /// What follows it.
    tail: Tail,
    /// The first word from which on every word up to the version may belong to a fine-tune.
    plain_from: usize,
}

/// What follows the version: whether an encoding, a type, a shard stand there, always in this order.
#[derive(Clone, Copy)]
struct Tail {
    encoding: bool,
    kind: Option<NameKind>,
    shard: Option<(u32, u32)>,
}

/// Every place where the version may stand, the last one first: a fine-tune takes all it can get, so the last possible
/// version is the one that the expression captures.
fn versions_of(words: &[Part<'_>]) -> Vec<Version> {
    let mut found = Vec::new();
    for after in 0..=TAIL_MAX {
        let Some(at) = words.len().checked_sub(after.saturating_add(1)) else { break };
        let Some((before, rest)) = words.split_at_checked(at) else { break };
        let Some((version, tail)) = rest.split_first() else { break };
        if !is_version(version.text) {
            continue;
        }
        if let Some(tail) = tail_of(tail) {
            let plain_from =
                before.iter().rposition(|w| !is_plain_word(w.text)).map_or(0, |i| i.saturating_add(1));
            found.push(Version { at, tail, plain_from });
        }
    }
    found
}

/// Reads the words after the version.
fn tail_of(words: &[Part<'_>]) -> Option<Tail> {
    let (words, shard) = match words {
        [front @ .., no, of, count] if of.text == "of" => {
            (front, Some((five_digits(no.text)?, five_digits(count.text)?)))
        }
        _ => (words, None),
    };
    let type_of = |word: &Part<'_>| match word.text {
        "LoRA" => Some(NameKind::Lora),
        "vocab" => Some(NameKind::Vocab),
        _ => None,
    };
    match words {
        [] => Some(Tail { encoding: false, kind: None, shard }),
        [one] if is_pattern_encoding(one.text) => Some(Tail { encoding: true, kind: None, shard }),
        [one] => Some(Tail { encoding: false, kind: Some(type_of(one)?), shard }),
        [one, two] if is_pattern_encoding(one.text) => {
            Some(Tail { encoding: true, kind: Some(type_of(two)?), shard })
        }
        _ => None,
    }
}

/// A match: indices of words. The base name is `base..base_end`, the size label `base_end..fine`, the fine-tune
/// `fine..version.at`.
struct Match<'v> {
    base: usize,
    base_end: usize,
    fine: usize,
    version: &'v Version,
}

/// The first match in the order in which the expression tries: the longest base name; with the size label's second
/// word before without; the longest fine-tune; no fine-tune; no size label.
fn find<'v>(words: &[Part<'_>], base: usize, versions: &'v [Version]) -> Option<Match<'v>> {
    let last_version = versions.first()?.at;
    let first = words.get(base)?;
    if !is_plain_word(first.text) {
        return None;
    }
    let more = words.get(base.checked_add(1)?..)?.iter().take_while(|w| is_later_base_word(w.text)).count();
    // The word after the base name must lie before the version.
    let longest = base.saturating_add(1).saturating_add(more).min(last_version);
    for base_end in (base.saturating_add(1)..=longest).rev() {
        let word = words.get(base_end)?;
        let next = base_end.saturating_add(1);
        let fit = |fine: usize| {
            let version = versions.iter().find(|v| fine_tune_fits(words, fine, v))?;
            Some(Match { base, base_end, fine, version })
        };
        let found = if word.text.is_empty() {
            versions.iter().find(|v| v.at == next).map(|version| Match {
                base,
                base_end,
                fine: next,
                version,
            })
        } else if size_scale(word.text).is_some() {
            let with_attribute = words.get(next).is_some_and(|w| is_size_attribute(w.text));
            let longer = if with_attribute { fit(next.saturating_add(1)) } else { None };
            longer.or_else(|| fit(next))
        } else {
            None
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Whether the words from `fine` to the version are a fine-tune, or there are none.
fn fine_tune_fits(words: &[Part<'_>], fine: usize, version: &Version) -> bool {
    match version.at.checked_sub(fine) {
        None => false,
        Some(0) => true,
        // `[A-Za-z0-9\s-]+` wants at least one character.
        Some(1) => version.plain_from <= fine && words.get(fine).is_some_and(|w| !w.text.is_empty()),
        Some(_) => version.plain_from <= fine,
    }
}

impl Match<'_> {
    fn into_parts<'a>(self, name: &'a str, words: &[Part<'a>]) -> Option<NameParts<'a>> {
        // From the first byte of one word to the last of another; nothing when the run is empty.
        let run = |from: usize, to: usize| {
            let last = to.checked_sub(1).filter(|last| *last >= from)?;
            Part::between(name, words.get(from)?.start, words.get(last)?.end())
        };
        let at = self.version.at;
        let tail = self.version.tail;
        let has_size = words.get(self.base_end).is_some_and(|w| !w.text.is_empty());
        let mut next = at.saturating_add(1);
        let mut parts = NameParts::empty(name);
        parts.strict = true;
        parts.base_name = Some(run(self.base, self.base_end)?);
        parts.size_label = if has_size { run(self.base_end, self.fine) } else { None };
        parts.fine_tune = run(self.fine, at);
        parts.version = Some(run(at, next)?);
        if tail.encoding {
            let end = next.saturating_add(1);
            parts.encoding = run(next, end);
            next = end;
        }
        if let Some(kind) = tail.kind {
            let end = next.saturating_add(1);
            parts.type_word = run(next, end);
            parts.kind = kind;
            next = end;
        }
        if let Some((no, count)) = tail.shard {
            parts.shard_text = run(next, words.len());
            parts.shard = Some(Shard { no, count: Some(count), style: ShardStyle::Gguf });
        }
        if self.base == 1 {
            parts.sidecar = words.first().copied();
            // A sidecar stands before everything, also before a type.
            parts.kind = words.first().and_then(|w| sidecar_kind(w.text)).unwrap_or(parts.kind);
        }
        Some(parts)
    }
}
