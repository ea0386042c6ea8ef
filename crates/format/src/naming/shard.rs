//! Names of the parts of a split file.
//!
//! The form is that of llama.cpp's `llama_split_path`: `<prefix>-%05d-of-%05d.gguf`, numbers from 1. (The key
//! `split.no` in the file counts from 0.)

use super::word::{decimal, five_digits};
use super::{Part, Shard, ShardStyle};
use alloc::format;
use alloc::string::String;

/// What [`parse_shard_suffix`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardSuffix<'a> {
    /// Everything before the suffix; the same for all parts of a set. May be empty, may be a path.
    pub prefix: &'a str,
    /// The part's number, from 1 to `count`.
    pub no: u32,
    /// How many parts the set has, at most 99999.
    pub count: u32,
}

/// Splits `<prefix>-00001-of-00009.gguf`, strictly: five digits each, and a number that exists in the set.
///
/// ```
/// # use ggufkit_format::naming::parse_shard_suffix;
/// let suffix = parse_shard_suffix("Grok-100B-v1.0-Q4_0-00003-of-00009.gguf").unwrap();
/// assert_eq!((suffix.prefix, suffix.no, suffix.count), ("Grok-100B-v1.0-Q4_0", 3, 9));
/// ```
#[must_use]
pub fn parse_shard_suffix(file_name: &str) -> Option<ShardSuffix<'_>> {
    let stem = file_name.strip_suffix(".gguf")?;
    let (stem, count) = stem.rsplit_once("-of-")?;
    let (prefix, no) = stem.rsplit_once('-')?;
    let (no, count) = (five_digits(no)?, five_digits(count)?);
    (1..=count).contains(&no).then_some(ShardSuffix { prefix, no, count })
}

/// The name of part `no` (from 1) of `count`: the inverse of [`parse_shard_suffix`] for counts up to 99999.
#[must_use]
pub fn shard_name(prefix: &str, no: u32, count: u32) -> String {
    format!("{prefix}-{no:05}-of-{count:05}.gguf")
}

/// Finds `-1-of-9` at the end of a stem, in any number of digits, with any separator before it; also `-split-` before
/// it, which people who split files by hand like to add. Returns where the separator begins.
pub(super) fn peel_loose<'a>(name: &'a str, start: usize, end: usize) -> Option<(usize, Part<'a>, Shard)> {
    let stem = name.get(start..end)?;
    let (rest, count) = split_number_from_end(stem)?;
    let rest = strip_of(rest)?;
    let (before, no) = split_number_from_end(rest)?;
    let mut front = before.strip_suffix(is_separator)?;
    let mut text_at = before.len();
    if let Some(before_split) = strip_suffix_ignore_case(front, "split").filter(|f| f.ends_with(is_separator))
    {
        text_at = before_split.len();
        front = before_split.strip_suffix(is_separator)?;
    }
    let text = Part::between(name, start.checked_add(text_at)?, end)?;
    let shard = Shard { no, count: Some(count), style: ShardStyle::Gguf };
    Some((start.checked_add(front.len())?, text, shard))
}

/// Reads what follows `.gguf` in the name of a part that was cut by bytes: `.part1of2`, `.part-00001-of-00002`,
/// `.split-aa`, `-split-b`, `.part3`, `.001`. The text's first byte is the separator.
pub(super) fn bytes_part(text: &str) -> Option<Shard> {
    let word = text.strip_prefix(is_separator)?;
    let shard = |no, count| Some(Shard { no, count, style: ShardStyle::Bytes });
    // `.001`: the numbering of 7-Zip and HJSplit. Fewer digits could be anything.
    if word.len() == 3
        && let Some(no) = decimal(word)
    {
        return shard(no, None);
    }
    let after = ["part", "split"].iter().find_map(|w| strip_prefix_ignore_case(word, w))?;
    let after = after.strip_prefix(is_separator).unwrap_or(after);
    if after.is_empty() {
        return None;
    }
    if let Some(no) = decimal(after) {
        return shard(no, None);
    }
    if let Some((rest, count)) = split_number_from_end(after) {
        let (before, no) = split_number_from_end(strip_of(rest)?)?;
        return if before.is_empty() { shard(no, Some(count)) } else { None };
    }
    shard(letters_number(after)?, None)
}

/// `aa` is 1, `ab` is 2: the suffixes of split(1). A single letter counts alike; three would take in `partial`.
fn letters_number(letters: &str) -> Option<u32> {
    if letters.is_empty() || letters.len() > 2 {
        return None;
    }
    let mut no = 0_u32;
    for b in letters.bytes() {
        let digit = match b {
            b'a'..=b'z' => b.checked_sub(b'a')?,
            _ => return None,
        };
        no = no.checked_mul(26)?.checked_add(u32::from(digit))?;
    }
    no.checked_add(1)
}

/// Splits the decimal number off the end of a text; it must fit `u32`.
fn split_number_from_end(text: &str) -> Option<(&str, u32)> {
    let front = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(front.len()..)?;
    if digits.is_empty() { None } else { Some((front, decimal(digits)?)) }
}

/// Takes `-of-`, `_of_`, `of` off the end.
fn strip_of(text: &str) -> Option<&str> {
    let text = text.strip_suffix(is_separator).unwrap_or(text);
    let text = strip_suffix_ignore_case(text, "of")?;
    Some(text.strip_suffix(is_separator).unwrap_or(text))
}

fn is_separator(c: char) -> bool {
    matches!(c, '-' | '_' | '.' | ' ')
}

fn strip_prefix_ignore_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (head, rest) = text.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn strip_suffix_ignore_case<'a>(text: &'a str, suffix: &str) -> Option<&'a str> {
    let (rest, tail) = text.split_at_checked(text.len().checked_sub(suffix.len())?)?;
    tail.eq_ignore_ascii_case(suffix).then_some(rest)
}
