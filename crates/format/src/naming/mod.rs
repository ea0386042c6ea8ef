//! What a GGUF file's name says: the convention's pattern, a patient reading of names in the wild, and the name that
//! metadata would suggest.
//!
//! The convention is the "GGUF Naming Convention" of ggml's `docs/gguf.md`:
//! `[Sidecar-]BaseName[-SizeLabel[-FineTune]]-Version[-Encoding][-Type][-Shard].gguf`. [`parse_strict`] accepts exactly
//! the language of the regular expression given there. Hardly any published file keeps to it (the pattern demands a
//! version, publishers leave it out), so [`parse_lenient`] reads every name, says what each piece most likely is and
//! lists, as [`Deviation`]s, why the name is not the convention's.
//!
//! A name is a hint and never an authority over the file's own metadata. This module looks at names only; it opens
//! nothing and knows nothing of paths: hand it a file name, not a path.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

mod deviation;
mod encoding;
mod lenient;
mod shard;
mod strict;
mod suggest;
#[cfg(test)]
mod tests;
mod word;

pub use deviation::{Deviation, DeviationKind};
pub use encoding::is_known_encoding;
pub use lenient::parse_lenient;
pub use shard::{ShardSuffix, parse_shard_suffix, shard_name};
pub use strict::parse_strict;
pub use suggest::{SuggestInput, suggest, usual_size_label, usual_version};

/// A piece of a name: its text and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part<'a> {
    /// The text, a slice of the parsed name.
    pub text: &'a str,
    /// Position of the first byte in the parsed name.
    pub start: usize,
}

impl<'a> Part<'a> {
    /// The piece of `name` between two byte positions; nothing when they are out of order or cut a character.
    pub(crate) fn between(name: &'a str, start: usize, end: usize) -> Option<Self> {
        name.get(start..end).map(|text| Self { text, start })
    }

    /// Position just past the last byte, in the parsed name.
    #[must_use]
    pub const fn end(&self) -> usize {
        self.start.saturating_add(self.text.len())
    }

    /// The byte range in the parsed name.
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.start..self.end()
    }
}

/// The role of a piece of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// `mmproj` or `mtp`: a module that is loaded beside a model.
    Sidecar,
    /// The model's base name.
    BaseName,
    /// The weight class, such as `8x7B`.
    SizeLabel,
    /// What the model was tuned for, such as `Instruct`.
    FineTune,
    /// The model's version, such as `v1.0`.
    Version,
    /// How the weights are stored, such as `Q4_K_M`.
    Encoding,
    /// `LoRA`, `vocab` or `imatrix`: a file that is not a whole model.
    Type,
    /// Which part of a split file this is, such as `00001-of-00009`.
    Shard,
    /// The file name extension `.gguf`.
    Extension,
    /// Text that was given no role.
    Rest,
}

impl PartKind {
    /// A short identifier in kebab case, for JSON and style sheets.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Sidecar => "sidecar",
            Self::BaseName => "base-name",
            Self::SizeLabel => "size-label",
            Self::FineTune => "fine-tune",
            Self::Version => "version",
            Self::Encoding => "encoding",
            Self::Type => "type",
            Self::Shard => "shard",
            Self::Extension => "extension",
            Self::Rest => "rest",
        }
    }
}

/// What kind of file a name promises. The file's `general.type` decides; this is only what the name says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameKind {
    /// A model: the name holds no word that says otherwise.
    #[default]
    Model,
    /// A LoRA adapter.
    Lora,
    /// Vocabulary and metadata without weights.
    Vocab,
    /// A multimodal projector, loaded beside a model.
    Mmproj,
    /// Multi-token prediction heads, loaded beside a model. As a suffix the word is also used for whole models that
    /// still hold these heads.
    Mtp,
    /// An importance matrix. The convention has no word for it.
    Imatrix,
}

impl NameKind {
    /// The word that the convention uses in names (`imatrix`, which it lacks, is llama.cpp's); none for a model.
    #[must_use]
    pub const fn word(self) -> Option<&'static str> {
        match self {
            Self::Model => None,
            Self::Lora => Some("LoRA"),
            Self::Vocab => Some("vocab"),
            Self::Mmproj => Some("mmproj"),
            Self::Mtp => Some("mtp"),
            Self::Imatrix => Some("imatrix"),
        }
    }

    /// Whether the word stands at the front of a conventional name.
    #[must_use]
    pub const fn is_sidecar(self) -> bool {
        matches!(self, Self::Mmproj | Self::Mtp)
    }
}

/// Who cut a file into parts, and so how to put it together again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShardStyle {
    /// `-00001-of-00009` before `.gguf`: every part is a GGUF file of its own. Loaders take the set as it is; joining
    /// the bytes makes a broken file.
    Gguf,
    /// `.part1of2`, `.split-aa` and the like after `.gguf`: a run of bytes of one file. The parts must be joined
    /// (`cat`) in order before anything can read them.
    Bytes,
}

/// Which part of a split file a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shard {
    /// The part's number, counted from 1. 0 only when the name itself says 0.
    pub no: u32,
    /// How many parts there are, when the name says so.
    pub count: Option<u32>,
    /// Who cut the file.
    pub style: ShardStyle,
}

/// A file name taken to pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameParts<'a> {
    /// The whole name, as it was given. Every range below counts bytes of it.
    pub name: &'a str,
    /// `mmproj` or `mtp`, wherever it stands.
    pub sidecar: Option<Part<'a>>,
    /// The model's base name, such as `Hermes-2-Pro-Llama-3`. The pattern allows it to be empty.
    pub base_name: Option<Part<'a>>,
    /// The weight class, such as `8x7B`, `30B-A3B` or `3.8B-ContextLength4k`.
    pub size_label: Option<Part<'a>>,
    /// What the model was tuned for, such as `Instruct`.
    pub fine_tune: Option<Part<'a>>,
    /// The version with its `v`. When absent the convention assumes `v1.0`.
    pub version: Option<Part<'a>>,
    /// How the weights are stored, such as `Q4_K_M` or `UD-Q4_K_XL`, in the name's own spelling.
    pub encoding: Option<Part<'a>>,
    /// `LoRA`, `vocab` or `imatrix`, in the name's own spelling.
    pub type_word: Option<Part<'a>>,
    /// The text that `shard` was read from, without the separator before it.
    pub shard_text: Option<Part<'a>>,
    /// The file name extension with its dot.
    pub extension: Option<Part<'a>>,
    /// Stretches of text that were given no role.
    pub rest: Vec<Part<'a>>,
    /// What kind of file the words in the name promise.
    pub kind: NameKind,
    /// Which part of a split file this is.
    pub shard: Option<Shard>,
    /// Whether the name keeps to the convention's pattern, i.e. whether [`parse_strict`] accepts it.
    pub strict: bool,
    /// Why the name is not the convention's, in the order of the name; also matters of style that the pattern lets
    /// pass ([`DeviationKind::breaks_pattern`] tells them apart).
    pub deviations: Vec<Deviation>,
}

impl<'a> NameParts<'a> {
    /// A name of which nothing is known yet.
    pub(crate) const fn empty(name: &'a str) -> Self {
        Self {
            name,
            sidecar: None,
            base_name: None,
            size_label: None,
            fine_tune: None,
            version: None,
            encoding: None,
            type_word: None,
            shard_text: None,
            extension: None,
            rest: Vec::new(),
            kind: NameKind::Model,
            shard: None,
            strict: false,
            deviations: Vec::new(),
        }
    }

    /// The pieces in the order of the name. They do not overlap; what lies between them is separators.
    #[must_use]
    pub fn parts(&self) -> Vec<(PartKind, Part<'a>)> {
        let all = [
            (PartKind::Sidecar, self.sidecar),
            (PartKind::BaseName, self.base_name),
            (PartKind::SizeLabel, self.size_label),
            (PartKind::FineTune, self.fine_tune),
            (PartKind::Version, self.version),
            (PartKind::Encoding, self.encoding),
            (PartKind::Type, self.type_word),
            (PartKind::Shard, self.shard_text),
            (PartKind::Extension, self.extension),
        ];
        let mut parts: Vec<_> = all.into_iter().filter_map(|(kind, part)| Some((kind, part?))).collect();
        parts.extend(self.rest.iter().map(|part| (PartKind::Rest, *part)));
        parts.sort_by_key(|(_, part)| (part.start, part.end()));
        parts
    }

    /// The encoding in its usual spelling: upper case, `_` between its pieces, without the marks that publishers put
    /// around it (`UD-`, `i1-`, `imat`). `fp16` becomes `F16`. None when the name holds no encoding.
    #[must_use]
    pub fn canonical_encoding(&self) -> Option<String> {
        self.encoding.map(|part| encoding::canonical(part.text))
    }
}
