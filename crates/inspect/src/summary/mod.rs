//! What a file is, on one screen.
//!
//! A [`Summary`] is computed from heads alone, in time linear in them, and stays small whatever they hold: lists are cut at
//! fixed lengths with the full number beside them, and oddities are told once per sort.

mod companions;
mod figures;
mod kind;
mod notices;
mod parameters;
mod placement;
mod quantization;
mod recipes;
mod tokenizer;

use ggufkit_format::spec::arch;
use ggufkit_format::{Dialect, Kv, Tensor};
use serde::Serialize;

pub use companions::{Adapter, ControlVector, Imatrix, MadeBy, Number, Projector};
pub use figures::{Figure, Figures};
pub use kind::Kind;
pub use notices::Notice;
pub use parameters::Parameters;
pub use quantization::{Quantization, Stated, TypeShare};
pub use tokenizer::{SpecialToken, Template, Templates, Tokenizer};

use crate::lookup::Lookup;
use crate::map::{Area, map};
use crate::model::Model;
use crate::tensors::Table;
use crate::text::Text;

/// Items that any list of a summary keeps.
pub const MAX_LISTED: usize = 32;

/// What a model is.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Summary<'a> {
    /// The sort of file.
    pub kind: Kind,
    /// What says so.
    pub kind_reason: String,
    /// `general.name`.
    pub name: Option<Text<'a>>,
    /// `general.architecture`; absent where the file does not say, whatever its tensors look like.
    pub architecture: Option<Text<'a>>,
    /// Whether llama.cpp knows the architecture; absent without one.
    pub architecture_known: Option<bool>,
    /// `general.size_label`.
    pub size_label: Option<Text<'a>>,
    /// `general.license`.
    pub license: Option<Text<'a>>,
    /// The file, or the files together.
    pub file: File,
    /// Number of weights.
    pub parameters: Parameters,
    /// How they are stored; absent where there is no tensor.
    pub quantization: Option<Quantization>,
    /// The model's shape.
    pub figures: Figures,
    /// The tokenizer, where there is one.
    pub tokenizer: Option<Tokenizer<'a>>,
    /// The chat templates, where there are any.
    pub chat_templates: Option<Templates<'a>>,
    /// What an adapter is.
    pub adapter: Option<Adapter<'a>>,
    /// What a projector file holds, sense by sense.
    pub projectors: Vec<Projector<'a>>,
    /// What an importance matrix is.
    pub imatrix: Option<Imatrix<'a>>,
    /// The importance that it was quantized by.
    pub importance: Option<MadeBy<'a>>,
    /// What a control vector is.
    pub control_vector: Option<ControlVector<'a>>,
    /// The split model that the file belongs to.
    pub shards: Option<Shards<'a>>,
    /// What takes how much of the file; together exactly its size.
    pub areas: Vec<Area<'a>>,
    /// What is odd.
    pub notices: Vec<Notice<'a>>,
}

/// The file, or the files of a set together.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct File {
    /// Bytes; absent where they are not known, as in a stream.
    pub size: Option<u64>,
    /// Bytes of the heads: header, metadata, tensor table.
    pub head_size: u64,
    /// Position of the data section in the first file; absent where the head was not read to its end.
    pub data_offset: Option<u64>,
    /// Bytes from the start of the data sections to the ends of the files; absent where they are not known.
    pub data_size: Option<u64>,
    /// GGUF version of the first file.
    pub version: u32,
    /// Byte order of the first file: `little` or `big`.
    pub endian: &'static str,
    /// The mis-written layout that it was read in, where it was.
    pub dialect: Option<String>,
    /// Alignment of the first file's data section in bytes.
    pub alignment: u64,
    /// Where the alignment comes from: `default`, `key` or `header`.
    pub alignment_from: &'static str,
    /// Number of key-values that were read.
    pub key_values: u64,
    /// Number of key-values that the headers declare.
    pub key_values_declared: u64,
    /// Number of tensors that were read.
    pub tensors: u64,
    /// Number of tensors that the headers declare.
    pub tensors_declared: u64,
    /// Whether all heads were read to their ends.
    pub complete: bool,
}

/// A split model.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Shards<'a> {
    /// `split.no` of the first file, counted from 0.
    pub no: Option<Figure>,
    /// `split.count`.
    pub count: Option<Figure>,
    /// `split.tensors.count`: tensors in all shards.
    pub tensors: Option<Figure>,
    /// Number of files that were read.
    pub files: usize,
    /// Files that are missing, at most 32. Known only to who looks into the folder.
    pub missing: Vec<Text<'a>>,
    /// Number of files that are missing.
    pub missing_count: u64,
}

/// What all parts of a summary are made from.
struct Facts<'a> {
    model: Model<'a>,
    keys: Lookup<'a, Kv>,
    tensors: Lookup<'a, Tensor>,
    names: kind::Names,
    architecture: Option<Text<'a>>,
    /// The numbers of layers in tensor names, each once.
    layers: u64,
    split_count: Option<u64>,
}

impl<'a> Facts<'a> {
    fn new(model: &Model<'a>) -> Self {
        let keys = Lookup::<Kv>::new(model);
        let mut names = kind::Names::default();
        let mut layers = Vec::new();
        for (_, name, _) in model.tensors() {
            names.add(name.as_bytes());
            // Encoders have layers of their own, which block_count does not speak of.
            if name.as_bytes().starts_with(b"blk.") {
                layers.extend(ggufkit_format::glob::layer_of(name.as_bytes()));
            }
        }
        layers.sort_unstable();
        layers.dedup();
        let mut facts = Self {
            model: *model,
            tensors: Lookup::new(model),
            names,
            architecture: None,
            layers: layers.len() as u64,
            split_count: keys.get("split.count").and_then(|value| value.as_u64()),
            keys,
        };
        facts.architecture = facts.text("general.architecture");
        facts
    }

    fn text(&self, key: &str) -> Option<Text<'a>> {
        match self.keys.get(key) {
            Some(ggufkit_format::Value::String(text)) => Some(Text(text)),
            _ => None,
        }
    }

    fn figure(&self, key: impl AsRef<[u8]>) -> Option<Figure> {
        let place = self.keys.find(key.as_ref())?;
        Some(Figure::of(&place.part.view, place.record))
    }

    fn has(&self, key: impl AsRef<[u8]>) -> bool {
        self.keys.find(key.as_ref()).is_some()
    }

    fn layers_found(&self) -> Option<u64> {
        (self.layers > 0).then_some(self.layers)
    }

    /// Whether the heads were read to their ends.
    fn is_complete(&self) -> bool {
        self.model.parts().all(|part| part.view.index().is_complete())
    }

    /// Whether these are some of the files of a split model.
    fn is_partial_set(&self) -> bool {
        self.split_count.is_some_and(|count| count > self.model.len() as u64)
    }
}

/// A model whose names were looked over once, for who asks several questions about it and needs no whole summary.
pub struct Survey<'a>(Facts<'a>);

impl<'a> Survey<'a> {
    /// Looks over all keys and tensor names.
    #[must_use]
    pub fn new(model: &Model<'a>) -> Self {
        Self(Facts::new(model))
    }

    /// What sort of file it is, and what says so.
    #[must_use]
    pub fn kind(&self) -> (Kind, String) {
        kind::kind_of(&self.0)
    }

    /// How the weights are stored, and whether the file says so too; `None` where there is no tensor.
    #[must_use]
    pub fn quantization(&self) -> Option<Quantization> {
        Quantization::of(&self.0, &Table::new(&self.0.model))
    }

    /// The key-values by their keys.
    #[must_use]
    pub fn keys(&self) -> &Lookup<'a, Kv> {
        &self.0.keys
    }

    /// The tensors by their names.
    #[must_use]
    pub fn tensors(&self) -> &Lookup<'a, Tensor> {
        &self.0.tensors
    }
}

/// Sums up a model.
#[must_use]
pub fn summary<'a>(model: &Model<'a>) -> Summary<'a> {
    let facts = Facts::new(model);
    let table = Table::new(model);
    let (kind, kind_reason) = kind::kind_of(&facts);
    let figures = Figures::of(&facts);
    let known = |name: Text<'_>| name.0.to_str().is_some_and(arch::is_known);
    let mut out = Summary {
        kind,
        kind_reason,
        name: facts.text("general.name"),
        architecture: facts.architecture,
        architecture_known: facts.architecture.map(known),
        size_label: facts.text("general.size_label"),
        license: facts.text("general.license"),
        file: File::of(model),
        parameters: Parameters::of(&table, &figures),
        quantization: Quantization::of(&facts, &table),
        figures,
        tokenizer: Tokenizer::of(&facts),
        chat_templates: Templates::of(&facts),
        adapter: Adapter::of(&facts, kind),
        projectors: Projector::all(&facts, kind),
        imatrix: Imatrix::of(&facts, kind),
        importance: MadeBy::of(&facts),
        control_vector: ControlVector::of(&facts, kind),
        shards: Shards::of(&facts),
        areas: map(model).areas,
        notices: Vec::new(),
    };
    let mut found = Vec::new();
    for (at, part) in model.parts().enumerate() {
        let mut of_part = Vec::new();
        notices::of_head(&part, &mut of_part);
        placement::of_part(&table, at, &mut of_part);
        notices::join(&mut found, of_part);
    }
    notices::of_duplicates(&facts, &mut found);
    // Of heads that were read in part nothing can be called absent, and no two parts be compared.
    if out.file.complete {
        notices::of_meaning(&facts, &out, &mut found);
    } else if let Some(quantization) = &mut out.quantization {
        quantization.forget_comparison();
    }
    if model.len() == 1 {
        found.iter_mut().for_each(|notice| notice.file = None);
    }
    out.notices = found;
    out
}

impl File {
    fn of(model: &Model<'_>) -> Self {
        let first = model.first().view.index();
        let mut out = Self {
            size: Some(0),
            head_size: 0,
            data_offset: first.data_start(),
            data_size: Some(0),
            version: first.header().version,
            endian: first.header().endian.name(),
            dialect: (first.header().dialect != Dialect::STANDARD)
                .then(|| first.header().dialect.to_string()),
            alignment: first.alignment(),
            alignment_from: first.alignment_source().name(),
            key_values: 0,
            key_values_declared: 0,
            tensors: 0,
            tensors_declared: 0,
            complete: true,
        };
        for part in model.parts() {
            let index = part.view.index();
            out.size = out.size.zip(part.size).map(|(sum, size)| sum.saturating_add(size));
            out.head_size = out.head_size.saturating_add(index.head().len);
            let data = part.size.zip(index.data_start()).map(|(size, start)| size.saturating_sub(start));
            out.data_size = out.data_size.zip(data).map(|(sum, size)| sum.saturating_add(size));
            out.key_values += index.kvs().len() as u64;
            out.tensors += index.tensors().len() as u64;
            let (kvs, tensors) = (index.header().kv_count, index.header().tensor_count);
            out.key_values_declared = out.key_values_declared.saturating_add(kvs);
            out.tensors_declared = out.tensors_declared.saturating_add(tensors);
            out.complete &= index.is_complete();
        }
        out
    }
}

impl Shards<'_> {
    fn of(facts: &Facts<'_>) -> Option<Self> {
        let count = facts.figure("split.count");
        // A merged file keeps the keys, with a count of 0.
        let split = !matches!(count, None | Some(Figure::One(0 | 1)));
        (split || facts.model.len() > 1).then(|| Self {
            no: facts.figure("split.no"),
            count,
            tensors: facts.figure("split.tensors.count"),
            files: facts.model.len(),
            missing: Vec::new(),
            missing_count: 0,
        })
    }
}

#[cfg(test)]
mod tests;
