//! The name that metadata would suggest.

use super::word::{is_dotted_number, is_size_attribute, size_scale};
use super::{NameKind, shard_name};
use alloc::string::String;

/// What a conventional name is built from; the fields are the `general.*` metadata of the same names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuggestInput<'a> {
    /// `general.basename`, or `general.name` for want of it. Without either the name begins with `model`.
    pub base_name: Option<&'a str>,
    /// `general.size_label`.
    pub size_label: Option<&'a str>,
    /// `general.finetune`.
    pub fine_tune: Option<&'a str>,
    /// `general.version`. `v1.0` when absent, as the convention says.
    pub version: Option<&'a str>,
    /// How the weights are stored: the name of the file type, such as `Q4_K_M`.
    pub encoding: Option<&'a str>,
    /// What kind of file it is. `mmproj` and `mtp` come first in the name, `LoRA` and `vocab` last.
    pub kind: NameKind,
    /// The part's number, from 1, and the number of parts. Left out for a single file.
    pub shard: Option<(u32, u32)>,
}

/// The most bytes that each part is given. Together with separators, type, shard and extension a name stays within the
/// 255 bytes that file systems allow.
const BASE_NAME_MAX: usize = 96;
const SIZE_LABEL_MAX: usize = 24;
const FINE_TUNE_MAX: usize = 48;
const VERSION_MAX: usize = 16;
const ENCODING_MAX: usize = 24;

/// Builds the conventional name from what metadata says.
///
/// The parts are brought into the pattern's alphabet: what a base name or a fine-tune may not hold becomes a `-`; a
/// word such as `3n` is parted into `3-n`, since the pattern would read a size label; other separators in an encoding
/// become `_`. So the name holds nothing that a shell, a URL or a terminal could take amiss, whatever the metadata
/// holds, and it is at most 255 bytes long.
///
/// Without a size label the part is left out, as the convention's text has it. Its pattern does not match such a name
/// (it would want an empty place, `Foo--v1.0`), which nobody writes.
///
/// ```
/// # use ggufkit_format::naming::{SuggestInput, suggest};
/// let input = SuggestInput {
///     base_name: Some("Llama 3.1"),
///     size_label: Some("8b"),
///     fine_tune: Some("Instruct"),
///     encoding: Some("q4_k_m"),
///     ..SuggestInput::default()
/// };
/// assert_eq!(suggest(&input), "Llama-3-1-8B-Instruct-v1.0-Q4_K_M.gguf");
/// ```
#[must_use]
pub fn suggest(input: &SuggestInput<'_>) -> String {
    let mut name = String::new();
    let mut push = |part: &str| {
        if !part.is_empty() {
            if !name.is_empty() {
                name.push('-');
            }
            name.push_str(part);
        }
    };
    if input.kind.is_sidecar() {
        push(input.kind.word().unwrap_or(""));
    }
    let base_name = plain(input.base_name.unwrap_or(""), BASE_NAME_MAX, true);
    push(if base_name.is_empty() { "model" } else { &base_name });
    push(&input.size_label.and_then(usual_size_label).unwrap_or_default());
    push(&plain(input.fine_tune.unwrap_or(""), FINE_TUNE_MAX, false));
    push(&version(input.version.unwrap_or("")));
    push(&encoding(input.encoding.unwrap_or("")));
    if !input.kind.is_sidecar() {
        push(input.kind.word().unwrap_or(""));
    }
    match input.shard {
        Some((no, count)) if count > 1 => shard_name(&name, no, count),
        _ => {
            name.push_str(".gguf");
            name
        }
    }
}

/// Letters and digits, with one `-` for each run of anything else between them.
fn plain(text: &str, max: usize, part_words: bool) -> String {
    let mut out = String::new();
    let mut gap = false;
    // Whether the word so far is digits only, and not the first.
    let mut number = false;
    for c in text.chars() {
        if !c.is_ascii_alphanumeric() {
            gap = true;
            continue;
        }
        if part_words && number && !gap && c.is_ascii_alphabetic() {
            gap = true;
        }
        let starts = gap && !out.is_empty();
        if out.len().saturating_add(usize::from(starts)) >= max {
            break;
        }
        if starts {
            out.push('-');
            number = true;
        }
        number &= c.is_ascii_digit();
        gap = false;
        out.push(c);
    }
    out
}

/// The size label of a text in the form that [`suggest`] gives it: `8x7B`, `3.8B-Name4k`, the scale in upper case, without
/// what a name should not hold and what the form has no place for. `None` where it is none.
#[must_use]
pub fn usual_size_label(text: &str) -> Option<String> {
    let text = size_words(text);
    let (first, rest) = text.split_once('-').map_or((text.as_str(), None), |(a, b)| (a, Some(b)));
    size_scale(first).filter(|scale| matches!(scale, 'K' | 'M' | 'B' | 'T' | 'Q'))?;
    let second = rest.and_then(|rest| rest.split('-').next()).filter(|word| is_size_attribute(word));
    let end = second.map_or(0, |word| word.len().saturating_add(1));
    text.get(..first.len().saturating_add(end)).map(String::from)
}

/// The words of a size label, the scale in upper case.
fn size_words(text: &str) -> String {
    let mut out = String::new();
    for (i, word) in text.split(['-', ' ', '_']).enumerate() {
        let room = SIZE_LABEL_MAX.saturating_sub(out.len().saturating_add(1));
        let mut word: String =
            word.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '.').take(room).collect();
        if i == 0 && size_scale(&word).is_some_and(|c| matches!(c, 'k' | 'm' | 'b' | 't' | 'q')) {
            let scale = word.pop().map(|c| c.to_ascii_uppercase());
            word.extend(scale);
        }
        if word.bytes().any(|b| b.is_ascii_alphanumeric()) {
            if !out.is_empty() {
                out.push('-');
            }
            out.push_str(word.trim_matches('.'));
        }
    }
    out
}

/// The dotted number at the start of a version, behind a `v`, as [`suggest`] takes it over; `None` where there is none.
#[must_use]
pub fn usual_version(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number = text.get(..end.min(VERSION_MAX.saturating_sub(1))).unwrap_or("").trim_end_matches('.');
    Some(number).filter(|number| is_dotted_number(number))
}

/// `v` and the number; `v1.0` when there is none.
fn version(text: &str) -> String {
    let mut out = String::from("v");
    out.push_str(usual_version(text).unwrap_or("1.0"));
    out
}

/// Upper case, with one `_` for each run of anything but letters and digits.
fn encoding(text: &str) -> String {
    let mut out = plain(text, ENCODING_MAX, false).to_ascii_uppercase();
    // Both are one byte, so the length stays.
    out = out.replace('-', "_");
    out
}
