//! How a model is quantized: what its tensors say, beside what its metadata says.

use ggufkit_format::spec::{FileType, TensorType};
use serde::Serialize;

use super::recipes::{expected, fallback, resembles};
use super::{Facts, Figure};
use crate::tensors::{Share, Sizing, Table, Totals, mix};

/// Types that a mix lists; only a hostile file has more.
const MAX_TYPES: usize = 32;

/// The types of a model's tensors.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Quantization {
    /// Bytes of all tensors, as far as they are known.
    pub bytes: u64,
    /// Bits per weight over all tensors.
    pub bits_per_weight: Option<f64>,
    /// The types, by bytes, the largest first; at most 32.
    pub mix: Vec<TypeShare>,
    /// Number of types that are not listed.
    pub more_types: usize,
    /// The type of most bytes among the matrices of the layers; embedding and output have types of their own in every
    /// recipe.
    pub dominant: Option<String>,
    /// The type of `token_embd.weight`.
    pub embedding: Option<String>,
    /// The type of `output.weight`.
    pub output: Option<String>,
    /// The named recipe that the mix resembles.
    pub resembles: Option<String>,
    /// What `general.file_type` says.
    pub stated: Option<Stated>,
    /// Whether the dominant type is one of the stated recipe; absent where one of the two is not known.
    pub agrees: Option<bool>,
    /// Why they do not agree, in words.
    pub disagreement: Option<String>,
}

/// The tensors of one type.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TypeShare {
    /// The type's name, `unknown(156)` where it has none.
    #[serde(rename = "type")]
    pub name: String,
    /// Its id.
    pub type_id: u32,
    /// Number of tensors.
    pub tensors: u64,
    /// Number of elements.
    pub elements: u64,
    /// Bytes.
    pub bytes: u64,
    /// How the bytes are known.
    pub size_known: Sizing,
    /// Part of the bytes of all tensors, from 0 to 1.
    pub share: f64,
    /// Bits per weight.
    pub bits_per_weight: Option<f64>,
}

/// A file type that the metadata states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Stated {
    /// The id; absent where the value is no such number.
    pub id: Option<u32>,
    /// Its short name, `unknown(99)` where it has none.
    pub name: String,
}

impl Quantization {
    /// `None` where there is no tensor.
    pub(super) fn of(facts: &Facts<'_>, table: &Table<'_>) -> Option<Self> {
        let mut shares = mix(table.iter());
        let mut all = Totals::default();
        shares.iter().for_each(|share| all.join(&share.totals));
        let more_types = shares.len().saturating_sub(MAX_TYPES);
        shares.truncate(MAX_TYPES);
        if all.tensors == 0 {
            return None;
        }
        let type_of = |name: &[u8]| facts.tensors.find(name).map(|place| place.record.tensor_type);
        let (embedding, output) = (type_of(b"token_embd.weight"), type_of(b"output.weight"));
        let bulk = bulk(table);
        let dominant = bulk.first().filter(|share| share.totals.bytes > 0);
        let stated = facts.figure("general.file_type").map(|figure| match figure {
            Figure::One(n) => match u32::try_from(n) {
                Ok(id) => Stated { id: Some(id), name: FileType(id).to_string() },
                Err(_) => Stated { id: None, name: format!("unknown({n})") },
            },
            Figure::Odd { ty, text } => {
                Stated { id: None, name: format!("{text} ({ty}, which is no file type)") }
            }
            Figure::Layers { .. } => Stated { id: None, name: "an array, which is no file type".to_owned() },
        });
        let recipe = stated.as_ref().and_then(|stated| Some(FileType(stated.id?).base()));
        let wanted = recipe.map(expected).filter(|types| !types.is_empty());
        // Where rows are no multiple of 256, quantizers take other types: such a model is what it says.
        let fell_back = |types: &[TensorType], found: TensorType| {
            types.iter().any(|wanted| fallback(*wanted) == Some(found))
                && table
                    .iter()
                    .filter(|row| row.tensor_type() == found)
                    .all(|row| row.dims.first().is_some_and(|n| n % 256 != 0))
        };
        let excused = wanted.zip(dominant).is_some_and(|(types, share)| fell_back(types, share.tensor_type));
        let agrees = wanted.zip(dominant).map(|(types, share)| excused || types.contains(&share.tensor_type));
        let disagreement = match (agrees, recipe, wanted, dominant) {
            (Some(false), Some(recipe), Some([wanted, ..]), Some(found)) => {
                Some(disagreement(recipe, *wanted, found, &bulk))
            }
            _ => None,
        };
        Some(Self {
            bytes: all.bytes,
            bits_per_weight: all.bits_per_weight(),
            mix: shares.iter().map(|share| TypeShare::of(share, all.bytes)).collect(),
            more_types,
            dominant: dominant.map(|share| share.tensor_type.to_string()),
            embedding: embedding.map(|ty| ty.to_string()),
            output: output.map(|ty| ty.to_string()),
            resembles: match recipe.filter(|_| excused) {
                Some(recipe) => recipe.short_name().map(str::to_owned),
                None => resembles(&bulk, embedding, output),
            },
            stated,
            agrees,
            disagreement,
        })
    }
}

impl Quantization {
    /// Takes back what was concluded, for a tensor table of which only a part is known.
    pub(super) fn forget_comparison(&mut self) {
        self.dominant = None;
        self.resembles = None;
        self.agrees = None;
        self.disagreement = None;
    }
}

impl TypeShare {
    fn of(share: &Share, all: u64) -> Self {
        let Totals { tensors, elements, bytes, sizing } = share.totals;
        Self {
            name: share.tensor_type.to_string(),
            type_id: share.tensor_type.0,
            tensors,
            elements,
            bytes,
            size_known: sizing,
            share: if all == 0 { 0.0 } else { bytes as f64 / all as f64 },
            bits_per_weight: share.totals.bits_per_weight(),
        }
    }
}

/// The mix of the matrices that a recipe is named after: those of the layers, or all tensors where there are none.
fn bulk(table: &Table<'_>) -> Vec<Share> {
    let apart: [&[u8]; 3] = [b"token_embd.weight", b"output.weight", b"per_layer_token_embd.weight"];
    let bulk = mix(table.iter().filter(|row| {
        row.dims.get(1..).is_some_and(|rows| rows.iter().any(|&n| n > 1)) && !apart.contains(&row.name.0)
    }));
    if bulk.is_empty() { mix(table.iter()) } else { bulk }
}

fn disagreement(recipe: FileType, wanted: TensorType, found: &Share, bulk: &[Share]) -> String {
    let all: u64 = bulk.iter().map(|share| share.totals.bytes).fold(0, u64::saturating_add);
    let percent = found.totals.bytes as f64 * 100.0 / all.max(1) as f64;
    let named = if recipe.short_name() == wanted.name() {
        String::new()
    } else {
        format!(", which is mostly {wanted}")
    };
    format!(
        "general.file_type says {recipe}{named}, but by bytes the layers are mostly {} ({percent:.0}%)",
        found.tensor_type
    )
}
