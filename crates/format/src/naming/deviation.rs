//! Why a name is not the convention's.

use super::encoding::{is_known_encoding, is_upper_case};
use super::word::{
    is_later_base_word, is_pattern_encoding, is_plain, is_plain_word, is_size_attribute, is_version,
    size_scale,
};
use super::{NameParts, Part, PartKind, ShardStyle};
use alloc::vec::Vec;
use core::ops::Range;

/// One way in which a name departs from the convention, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// What it is.
    pub kind: DeviationKind,
    /// Position of the first byte concerned, in the name.
    pub start: usize,
    /// Position just past the last byte concerned; `start` where something is missing.
    pub end: usize,
}

impl Deviation {
    const fn at(kind: DeviationKind, start: usize, end: usize) -> Self {
        Self { kind, start, end }
    }

    /// The byte range in the name.
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// A reason why a name is not the convention's, or a matter of style that its pattern lets pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviationKind {
    /// The name does not end in `.gguf`, nor in `.gguf` and the number of a part.
    ExtensionMissing,
    /// The extension is not in lower case.
    ExtensionCase,
    /// Text follows the extension: a downloader's mark, a part's number, a copy's.
    AfterExtension,
    /// The name holds no base name.
    BaseNameMissing,
    /// A `_` in the base name.
    BaseNameUnderscore,
    /// A `.` in the base name.
    BaseNameDot,
    /// Another character in the base name that is no letter, digit, space or `-`.
    BaseNameCharacter,
    /// A word of the base name, after its first, that begins with a digit and holds letters, such as `3n`: the pattern
    /// would take it for a size label.
    BaseNameWord,
    /// No size label. The convention's text wants one; its pattern allows only an empty place for it.
    SizeLabelMissing,
    /// A size label of another form than `[<experts>x]<number><letter>[-<letters><number><letters>]`.
    SizeLabelForm,
    /// A size label whose scale is in lower case, such as `7b`. The pattern lets it pass.
    SizeLabelCase,
    /// A character in the fine-tune that is no letter, digit, space or `-`.
    FineTuneCharacter,
    /// No version. This alone keeps most published names from matching.
    VersionMissing,
    /// A version in another form than `v1.0`, such as `V1.0`.
    VersionForm,
    /// A `-`, `.` or space within the encoding, such as in `UD-Q4_K_XL`.
    EncodingForm,
    /// An encoding in lower case, such as `q4_k_m`. The pattern lets it pass.
    EncodingCase,
    /// A word stands in the encoding's place that is no known encoding. The pattern lets it pass.
    EncodingUnknown,
    /// A type or sidecar in another spelling than `LoRA`, `vocab`, `mmproj`, `mtp`.
    WordCase,
    /// A type that the convention does not know: `imatrix`.
    TypeUnknown,
    /// A shard in another form than `-00001-of-00009` before the extension.
    ShardForm,
    /// A shard number of 0, or larger than the number of shards. The pattern lets it pass.
    ShardRange,
    /// Two parts are joined by something else than one `-`.
    Separator,
    /// A part stands before one that it should follow, such as `mmproj` at the end.
    Order,
    /// Text that has no role in the convention.
    Unassigned,
    /// None of the others, yet the pattern does not match.
    Other,
}

impl DeviationKind {
    /// A short identifier in kebab case, for JSON.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::ExtensionMissing => "extension-missing",
            Self::ExtensionCase => "extension-case",
            Self::AfterExtension => "after-extension",
            Self::BaseNameMissing => "base-name-missing",
            Self::BaseNameUnderscore => "base-name-underscore",
            Self::BaseNameDot => "base-name-dot",
            Self::BaseNameCharacter => "base-name-character",
            Self::BaseNameWord => "base-name-word",
            Self::SizeLabelMissing => "size-label-missing",
            Self::SizeLabelForm => "size-label-form",
            Self::SizeLabelCase => "size-label-case",
            Self::FineTuneCharacter => "fine-tune-character",
            Self::VersionMissing => "version-missing",
            Self::VersionForm => "version-form",
            Self::EncodingForm => "encoding-form",
            Self::EncodingCase => "encoding-case",
            Self::EncodingUnknown => "encoding-unknown",
            Self::WordCase => "word-case",
            Self::TypeUnknown => "type-unknown",
            Self::ShardForm => "shard-form",
            Self::ShardRange => "shard-range",
            Self::Separator => "separator",
            Self::Order => "order",
            Self::Unassigned => "unassigned",
            Self::Other => "other",
        }
    }

    /// Whether this keeps the name from matching the convention's pattern. The others are matters of style: a name may
    /// have them and still be [`NameParts::strict`].
    #[must_use]
    pub const fn breaks_pattern(self) -> bool {
        !matches!(self, Self::SizeLabelCase | Self::EncodingCase | Self::EncodingUnknown | Self::ShardRange)
    }

    /// The reason in a few English words.
    #[must_use]
    pub const fn describe(self) -> &'static str {
        match self {
            Self::ExtensionMissing => "the name does not end in `.gguf`",
            Self::ExtensionCase => "the extension is not in lower case",
            Self::AfterExtension => "text follows the extension `.gguf`",
            Self::BaseNameMissing => "there is no base name",
            Self::BaseNameUnderscore => "the base name holds a `_`",
            Self::BaseNameDot => "the base name holds a `.`",
            Self::BaseNameCharacter => {
                "the base name holds a character other than letters, digits, spaces and `-`"
            }
            Self::BaseNameWord => "a word of the base name begins with a digit and holds letters",
            Self::SizeLabelMissing => "there is no size label such as `7B`",
            Self::SizeLabelForm => "the size label does not have the form `8x7B` or `3.8B-Name4k`",
            Self::SizeLabelCase => "the scale of the size label is in lower case",
            Self::FineTuneCharacter => {
                "the fine-tune holds a character other than letters, digits, spaces and `-`"
            }
            Self::VersionMissing => "there is no version such as `v1.0`",
            Self::VersionForm => "the version does not have the form `v1.0`",
            Self::EncodingForm => "the encoding holds something else than letters, digits and `_`",
            Self::EncodingCase => "the encoding is in lower case",
            Self::EncodingUnknown => "the word in the encoding's place is no known encoding",
            Self::WordCase => "a type or sidecar is not spelled `LoRA`, `vocab`, `mmproj` or `mtp`",
            Self::TypeUnknown => "the convention has no type `imatrix`",
            Self::ShardForm => "the shard does not have the form `-00001-of-00009.gguf`",
            Self::ShardRange => "the shard's number lies outside the set",
            Self::Separator => "two parts are joined by something else than one `-`",
            Self::Order => "a part stands out of its place",
            Self::Unassigned => "some text has no role in the convention",
            Self::Other => "the convention's pattern does not match",
        }
    }
}

/// Adds the matters of style, which names of either kind may have.
pub(super) fn style(parts: &mut NameParts<'_>) {
    use DeviationKind as K;
    let mut found = Vec::new();
    let mut note = |kind, part: Part<'_>| found.push(Deviation::at(kind, part.start, part.end()));
    if let Some(part) = parts.size_label {
        let scale = part.text.split('-').next().and_then(|word| word.chars().last());
        if scale.is_some_and(|c| c.is_ascii_lowercase()) {
            note(K::SizeLabelCase, part);
        }
    }
    if let Some(part) = parts.encoding {
        if !is_known_encoding(part.text) {
            note(K::EncodingUnknown, part);
        }
        if !is_upper_case(part.text) {
            note(K::EncodingCase, part);
        }
    }
    if let (Some(shard), Some(part)) = (parts.shard, parts.shard_text)
        && shard.style == ShardStyle::Gguf
        && (shard.no == 0 || shard.count.is_some_and(|count| shard.no > count))
    {
        note(K::ShardRange, part);
    }
    parts.deviations.append(&mut found);
}

/// Adds what keeps a name from matching the pattern, and puts everything into the order of the name. For names that do
/// not match: at least one reason is always given.
pub(super) fn diagnose(parts: &mut NameParts<'_>) {
    use DeviationKind as K;
    let mut found = core::mem::take(&mut parts.deviations);
    missing(parts, &mut found);
    base_name(parts, &mut found);
    let mut note = |kind, part: Part<'_>| found.push(Deviation::at(kind, part.start, part.end()));
    if let Some(part) = parts.extension.filter(|p| p.text != ".gguf") {
        note(K::ExtensionCase, part);
    }
    if let Some(part) = parts.size_label {
        let mut words = part.text.splitn(2, '-');
        let fits = words.next().is_some_and(|w| size_scale(w).is_some())
            && words.next().is_none_or(is_size_attribute);
        if !fits {
            note(K::SizeLabelForm, part);
        }
    }
    if let Some(part) = parts.fine_tune.filter(|p| !p.text.split('-').all(is_plain_word)) {
        note(K::FineTuneCharacter, part);
    }
    if let Some(part) = parts.version.filter(|p| !is_version(p.text)) {
        note(K::VersionForm, part);
    }
    if let Some(part) = parts.encoding.filter(|p| !is_pattern_encoding(p.text)) {
        note(K::EncodingForm, part);
    }
    for part in [parts.sidecar, parts.type_word].into_iter().flatten() {
        if part.text.eq_ignore_ascii_case("imatrix") {
            note(K::TypeUnknown, part);
        } else if !matches!(part.text, "LoRA" | "vocab" | "mmproj" | "mtp") {
            note(K::WordCase, part);
        }
    }
    if let (Some(shard), Some(part)) = (parts.shard, parts.shard_text) {
        let conventional = match part.text.as_bytes() {
            [no @ .., b'-', b'o', b'f', b'-', _, _, _, _, _] => no.len() == 5,
            _ => false,
        };
        if !conventional || shard.style != ShardStyle::Gguf {
            note(K::ShardForm, part);
        }
    }
    joints(parts, &mut found);
    if !found.iter().any(|d| d.kind.breaks_pattern()) {
        found.push(Deviation::at(K::Other, 0, parts.name.len()));
    }
    found.sort_by_key(|d| (d.start, d.end));
    parts.deviations = found;
}

/// Parts that are not there, each noted where it should be.
fn missing(parts: &NameParts<'_>, found: &mut Vec<Deviation>) {
    use DeviationKind as K;
    let mut note = |kind, at| found.push(Deviation::at(kind, at, at));
    let end_of = |part: Option<Part<'_>>| part.map(|p| p.end());
    if parts.extension.is_none() {
        note(K::ExtensionMissing, parts.name.len());
    }
    if parts.base_name.is_none() {
        note(K::BaseNameMissing, end_of(parts.sidecar).filter(|end| *end < parts.name.len()).unwrap_or(0));
    }
    let base_end = end_of(parts.base_name).unwrap_or(0);
    if parts.size_label.is_none() {
        note(K::SizeLabelMissing, base_end);
    }
    if parts.version.is_none() {
        note(K::VersionMissing, end_of(parts.fine_tune).or(end_of(parts.size_label)).unwrap_or(base_end));
    }
}

/// Characters and words that the pattern does not allow in a base name; the first of each sort.
fn base_name(parts: &NameParts<'_>, found: &mut Vec<Deviation>) {
    use DeviationKind as K;
    let Some(base) = parts.base_name else { return };
    let mut first = |kind, test: &dyn Fn(char) -> bool| {
        if let Some((at, c)) = base.text.char_indices().find(|(_, c)| test(*c)) {
            let start = base.start.saturating_add(at);
            found.push(Deviation::at(kind, start, start.saturating_add(c.len_utf8())));
        }
    };
    first(K::BaseNameUnderscore, &|c| c == '_');
    first(K::BaseNameDot, &|c| c == '.');
    first(K::BaseNameCharacter, &|c| !is_plain(c) && !matches!(c, '-' | '_' | '.'));
    let mut at = base.start;
    for (i, word) in base.text.split('-').enumerate() {
        let end = at.saturating_add(word.len());
        // Other characters have been noted above.
        if i > 0 && is_plain_word(word) && !is_later_base_word(word) {
            found.push(Deviation::at(K::BaseNameWord, at, end));
            return;
        }
        at = end.saturating_add(1);
    }
}

/// What stands between the parts, and their order.
fn joints(parts: &NameParts<'_>, found: &mut Vec<Deviation>) {
    use DeviationKind as K;
    let mut before: Option<(PartKind, Part<'_>)> = None;
    let mut highest = 0_u8;
    let mut extension_end = None;
    for (kind, part) in parts.parts() {
        let gap_start = before.map_or(0, |(_, p)| p.end());
        let gap = parts.name.get(gap_start..part.start).unwrap_or("");
        let wanted = if before.is_none() || kind == PartKind::Extension { "" } else { "-" };
        if extension_end.is_some() {
            found.push(Deviation::at(K::AfterExtension, part.start, part.end()));
        } else if kind == PartKind::Rest {
            found.push(Deviation::at(K::Unassigned, part.start, part.end()));
        } else {
            let place = NameParts::place(kind);
            if place < highest {
                found.push(Deviation::at(K::Order, part.start, part.end()));
            }
            highest = highest.max(place);
        }
        if gap != wanted && extension_end.is_none() {
            found.push(Deviation::at(K::Separator, gap_start, part.start));
        }
        if kind == PartKind::Extension {
            extension_end = Some(part.end());
        }
        before = Some((kind, part));
    }
}
