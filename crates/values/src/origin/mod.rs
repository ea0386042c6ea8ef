//! Where the tensors of a model come from: safetensors files under the names of Hugging Face, and what a conversion to GGUF
//! does to them beside rounding.
//!
//! A [`Catalog`] has the tensors of all files by their names. For a tensor of a [`Model`] it finds the one that has its very name, or
//! the ones that it was made of, and gives their values in its order: an [`Origin`] is one [`Side`](crate::compare::Side) of a comparison. Taken into account are
//! rows that were put in another order by heads, experts that were put into one tensor, matrices that were turned over, and
//! the 1 that some architectures add to their norms.

mod names;
mod rows;
mod verdict;
mod walk;

use std::collections::HashMap;
use std::fmt;
use std::io;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, ReadAt, View, shorten};
use ggufkit_io::safetensors::{Safetensors, Stored};

use crate::{NoValues, Weights};
use names::{
    EXPERTS, LAYER, LAYERS, MADE, NO_WEIGHTS, OF_EXPERTS, PAIRED, PREFIXES, SHIFTED, TOP, TURNED,
    TURNED_NAMES,
};
use rows::Rows;

pub use verdict::{Verdict, verdict};

/// The longest row of a matrix that is turned over: more than any model has.
const MAX_TURNED: u64 = 1 << 22;

/// Something that conversion does to a tensor, beside rounding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Change {
    /// Its rows are in another order, by heads.
    RowsByHeads,
    /// It is made of one tensor for each expert.
    Stacked,
    /// It is turned over.
    Turned,
    /// 1 is added.
    PlusOne,
}

impl Change {
    /// A word that stays.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RowsByHeads => "rows-by-heads",
            Self::Stacked => "stacked",
            Self::Turned => "turned",
            Self::PlusOne => "plus-one",
        }
    }
}

/// What of a model's metadata says how it was converted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    arch: String,
    /// Heads of the queries, and of the keys, of every layer; one number is that of all.
    heads: Vec<u64>,
    kv_heads: Vec<u64>,
}

impl Model {
    /// That of a file, the first of a set.
    #[must_use]
    pub fn of(view: View<'_>) -> Self {
        let text = |key: &str| view.get(key).and_then(|value| value.as_str());
        let arch = text("general.architecture").unwrap_or_default().to_owned();
        let numbers = |key: &str| -> Vec<u64> {
            let Some(value) = view.get(&format!("{arch}.attention.{key}")) else { return Vec::new() };
            match value.as_array() {
                Some(array) => array.iter().map(|value| value.as_u64().unwrap_or(0)).collect(),
                None => value.as_u64().into_iter().collect(),
            }
        };
        let (heads, kv_heads) = (numbers("head_count"), numbers("head_count_kv"));
        Self { heads, kv_heads, arch }
    }

    /// Heads of the queries and of the keys in a layer; 0 where that is not told.
    fn heads(&self, layer: u64) -> (u64, u64) {
        let of = |all: &[u64]| match all {
            [one] => Some(*one),
            all => usize::try_from(layer).ok().and_then(|layer| all.get(layer)).copied(),
        };
        let heads = of(&self.heads).unwrap_or(0);
        (heads, of(&self.kv_heads).unwrap_or(heads))
    }
}

/// The tensors of safetensors files, by their names.
#[derive(Debug)]
pub struct Catalog<'s, S: ?Sized> {
    tensors: HashMap<&'s str, (&'s S, &'s Stored)>,
    order: Vec<&'s str>,
}

/// What a tensor was made of, in its order.
#[derive(Debug)]
pub struct Origin<'s, S: ?Sized> {
    names: Vec<&'s str>,
    parts: Vec<Weights<'s, S>>,
    /// Values of one part, and of a row of it.
    part: u64,
    row: u64,
    rows: Rows,
    turned: bool,
    plus: f32,
}

/// Why a tensor has no origin that it could be compared with.
#[derive(Debug)]
#[non_exhaustive]
pub enum NoOrigin {
    /// There is no tensor of the names that it may have come from.
    Nothing,
    /// It is made by the conversion.
    Made,
    /// What is there has another shape.
    Shape {
        /// Its name there.
        name: String,
        /// Its shape there, the row length first.
        found: Vec<u64>,
    },
    /// Its rows are in an order by heads, and the metadata does not tell how many there are, or not as many as divide it.
    Heads {
        /// Heads, as the metadata has them.
        heads: u64,
    },
    /// What is there has a type that GGUF lacks.
    Type {
        /// Its name there.
        name: String,
        /// Its type there.
        dtype: String,
    },
    /// It has no values.
    Values(NoValues),
}

impl fmt::Display for NoOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |text: &str| shorten(text.as_bytes(), 80).to_string();
        match self {
            Self::Nothing => f.write_str("the source has no tensor for it"),
            Self::Made => f.write_str("it is made by conversion"),
            Self::Shape { name, found } => write!(f, "{} has the shape {found:?}", shown(name)),
            Self::Heads { heads } => write!(
                f,
                "its rows are in an order by heads, and {heads}, which the metadata tells, does not divide them"
            ),
            Self::Type { name, dtype } => {
                write!(f, "{} is of {}, whose values are not known", shown(name), shown(dtype))
            }
            Self::Values(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for NoOrigin {}

impl<'s, S: ReadAt<Error = io::Error> + ?Sized> Catalog<'s, S> {
    /// The tensors of these files. Of a name that several have the first counts.
    pub fn of(files: impl IntoIterator<Item = (&'s S, &'s Safetensors)>) -> Self {
        let mut catalog = Self { tensors: HashMap::new(), order: Vec::new() };
        for (source, file) in files {
            for stored in &file.tensors {
                let name = stored.name.as_str();
                catalog.tensors.entry(name).or_insert_with(|| {
                    catalog.order.push(name);
                    (source, stored)
                });
            }
        }
        catalog
    }

    /// The names of all tensors that weigh something, in the order of the files.
    pub fn names(&self) -> impl Iterator<Item = &'s str> {
        let weighs = |name: &&str| !NO_WEIGHTS.iter().any(|end| name.ends_with(end));
        self.order.iter().copied().filter(weighs)
    }

    /// What a tensor of a model was made of.
    ///
    /// # Errors
    /// See [`NoOrigin`].
    pub fn origin(&self, model: &Model, name: &[u8], dims: &[u64]) -> Result<Origin<'s, S>, NoOrigin> {
        let text = std::str::from_utf8(name).map_err(|_| NoOrigin::Nothing)?;
        // What was taken out of a model has its names, and is as it was there.
        if let Some((name, (source, stored))) = self.tensors.get_key_value(text) {
            return Origin::own(name, source, stored, dims);
        }
        if MADE.contains(&text) || text.ends_with(".rope_freqs.weight") {
            return Err(NoOrigin::Made);
        }
        let (layer, stem, end) = parse(text).ok_or(NoOrigin::Nothing)?;
        let of_stem = |table: &'static [(&str, &[&str])]| {
            table.iter().find(|(known, _)| *known == stem).map_or(&[][..], |(_, names)| *names)
        };
        let Some(layer) = layer else {
            let found = PREFIXES
                .iter()
                .flat_map(|prefix| of_stem(TOP).iter().map(move |name| format!("{prefix}{name}.{end}")));
            let found = found.into_iter().find_map(|name| self.tensors.get_key_value(name.as_str()));
            let (name, stored) = found.ok_or(NoOrigin::Nothing)?;
            return Origin::of(model, 0, stem, vec![(*name, *stored)], dims, false);
        };
        let before = |prefix: &&str, word: &&str| format!("{prefix}{word}{layer}.");
        let layers: Vec<String> =
            PREFIXES.iter().flat_map(|prefix| LAYERS.iter().map(move |word| before(prefix, word))).collect();
        // What stands first in a row is looked for first, wherever the layers are.
        for name in of_stem(LAYER) {
            for before in &layers {
                let whole = format!("{before}{name}.{end}");
                if let Some((name, stored)) = self.tensors.get_key_value(whole.as_str()) {
                    return Origin::of(model, layer, stem, vec![(*name, *stored)], dims, false);
                }
            }
        }
        for name in of_stem(EXPERTS) {
            for before in
                layers.iter().flat_map(|before| OF_EXPERTS.iter().map(move |of| format!("{before}{of}")))
            {
                let of = |number: u64| {
                    self.tensors.get_key_value(format!("{before}{number}.{name}.{end}").as_str())
                };
                if of(0).is_none() {
                    continue;
                }
                let count = dims.get(2).copied().unwrap_or(1);
                // One that is not there ends the search, however many the file claims.
                let parts = (0..count).map_while(of).map(|(name, stored)| (*name, *stored)).collect();
                return Origin::of(model, layer, stem, parts, dims, true);
            }
        }
        Err(NoOrigin::Nothing)
    }
}

/// The layer, the name in it and whether it is weight or bias.
fn parse(name: &str) -> Option<(Option<u64>, &str, &str)> {
    let (rest, end) = name.rsplit_once('.')?;
    match rest.strip_prefix("blk.") {
        None => Some((None, rest, end)),
        Some(rest) => {
            let (layer, stem) = rest.split_once('.')?;
            Some((Some(layer.parse().ok()?), stem, end))
        }
    }
}

/// A shape without the dimensions of 1 behind it.
fn plain(dims: &[u64]) -> &[u64] {
    let len = dims.iter().rposition(|n| *n != 1).map_or(0, |last| last.saturating_add(1));
    dims.get(..len).unwrap_or_default()
}

impl<'s, S: ReadAt<Error = io::Error> + ?Sized> Origin<'s, S> {
    fn of(
        model: &Model,
        layer: u64,
        stem: &str,
        found: Vec<(&'s str, (&'s S, &'s Stored))>,
        dims: &[u64],
        stacked: bool,
    ) -> Result<Self, NoOrigin> {
        let arch = model.arch.as_str();
        let Some((first, (_, stored))) = found.first().copied() else { return Err(NoOrigin::Nothing) };
        let turned = TURNED.contains(&arch) && TURNED_NAMES.iter().any(|end| first.ends_with(end));
        let mut shape = stored.dims.clone();
        // Whole rows of it are held.
        if turned && shape.iter().any(|n| *n > MAX_TURNED) {
            return Err(NoOrigin::Shape { name: first.to_owned(), found: shape });
        }
        if turned {
            shape.reverse();
        }
        if stacked {
            shape.push(found.len() as u64);
        }
        if plain(&shape) != plain(dims) {
            return Err(NoOrigin::Shape { name: first.to_owned(), found: shape });
        }
        let mut parts = Vec::with_capacity(found.len());
        for (name, (source, one)) in &found {
            if one.dims != stored.dims {
                return Err(NoOrigin::Shape { name: (*name).to_owned(), found: one.dims.clone() });
            }
            let (name, dtype) = ((*name).to_owned(), one.dtype.clone());
            let Some(ty) = one.tensor_type else { return Err(NoOrigin::Type { name, dtype }) };
            let weights =
                Weights::at(*source, name.as_bytes(), ty, &one.dims, one.data.start, Endian::Little);
            parts.push(weights.map_err(NoOrigin::Values)?);
        }
        let part = parts.first().map_or(0, Weights::elements);
        let (heads, kv_heads) = model.heads(layer);
        // Names of Hugging Face alone have the order of Hugging Face.
        let of = |ends: &str| first.contains(ends);
        let (rows, counted) = match stem {
            "attn_q" if PAIRED.contains(&arch) && of("q_proj") => (Rows::Pairs { heads }, heads),
            "attn_k" if PAIRED.contains(&arch) && of("k_proj") => (Rows::Pairs { heads: kv_heads }, kv_heads),
            "attn_qkv" if matches!(arch, "gptneox" | "bloom") && of("query_key_value") => {
                (Rows::Interleaved { heads }, heads)
            }
            "attn_qkv" if arch == "falcon" && of("query_key_value") => {
                (Rows::Groups { heads, groups: kv_heads }, heads)
            }
            _ => (Rows::InOrder, 0),
        };
        // Of a bias every value is a row.
        let row = match dims {
            [_] if rows != Rows::InOrder => 1,
            _ => dims.first().copied().unwrap_or(1),
        };
        if !rows.fit(part.checked_div(row).unwrap_or(0)) {
            return Err(NoOrigin::Heads { heads: counted });
        }
        let plus = if SHIFTED.contains(&arch) && first.ends_with("norm.weight") { 1.0 } else { 0.0 };
        let names = found.into_iter().map(|(name, _)| name).collect();
        Ok(Self { names, parts, part, row, rows, turned, plus })
    }

    /// A tensor under the name that it has in the model: nothing was done to it but rounding.
    fn own(name: &'s str, source: &'s S, stored: &'s Stored, dims: &[u64]) -> Result<Self, NoOrigin> {
        if plain(&stored.dims) != plain(dims) {
            return Err(NoOrigin::Shape { name: name.to_owned(), found: stored.dims.clone() });
        }
        let (owned, dtype) = (name.to_owned(), stored.dtype.clone());
        let Some(ty) = stored.tensor_type else { return Err(NoOrigin::Type { name: owned, dtype }) };
        let weights =
            Weights::at(source, name.as_bytes(), ty, &stored.dims, stored.data.start, Endian::Little);
        let weights = weights.map_err(NoOrigin::Values)?;
        let (part, row) = (weights.elements(), dims.first().copied().unwrap_or(1));
        let (names, parts) = (vec![name], vec![weights]);
        Ok(Self { names, parts, part, row, rows: Rows::InOrder, turned: false, plus: 0.0 })
    }

    /// The names of what it is made of: one, or one for each expert.
    #[must_use]
    pub fn names(&self) -> &[&'s str] {
        &self.names
    }

    /// The type in the source.
    #[must_use]
    pub fn tensor_type(&self) -> TensorType {
        self.parts.first().map_or(TensorType::F32, Weights::tensor_type)
    }

    /// Bytes that it has in the source.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.parts.iter().fold(0, |sum, part| sum.saturating_add(part.span().len))
    }

    /// What is taken into account.
    pub fn changes(&self) -> impl Iterator<Item = Change> {
        [
            (self.rows != Rows::InOrder, Change::RowsByHeads),
            (self.parts.len() > 1, Change::Stacked),
            (self.turned, Change::Turned),
            (self.plus != 0.0, Change::PlusOne),
        ]
        .into_iter()
        .filter_map(|(is, change)| is.then_some(change))
    }
}
