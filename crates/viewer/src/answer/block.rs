//! One block of a tensor, opened; and how one of its values comes about.

use ggufkit_format::Tensor;
use ggufkit_format::View;
use ggufkit_format::spec::TensorTypeInfo;
use ggufkit_inspect::blocks::{self, Sym, cells, readings};
use ggufkit_inspect::units;
use serde::Serialize;

use super::bytes::block as read_block;
use super::query::Query;
use super::refusal::Refusal;
use super::session::Session;
use super::shape::{Num, Place, base64};
use super::zh::Said;
use super::{Answer, json};

#[derive(Serialize)]
struct Block {
    #[serde(rename = "type")]
    ty: &'static str,
    block: u64,
    blocks: u64,
    elements: u64,
    first_element: u64,
    row: u64,
    span: Place,
    data: String,
    formula: &'static str,
    members: Vec<Member>,
    owners: Vec<Owner>,
    bits: Vec<usize>,
    values: Vec<Num>,
}

#[derive(Serialize)]
struct Member {
    name: &'static str,
    start: u32,
    end: u32,
    unit: &'static str,
    meaning: &'static str,
    values: Vec<String>,
}

#[derive(Serialize)]
struct Owner {
    symbol: String,
    element: Option<u32>,
}

/// The tensor that a question is about, and what is known of its type.
fn tensor<'v>(view: &View<'v>, query: &Query<'_>) -> Result<(&'v Tensor, &'static TensorTypeInfo), Refusal> {
    let at: usize = query.number("tensor")?;
    let tensor = view.index().tensors().get(at);
    let tensor = tensor
        .ok_or_else(|| Refusal::not_found(("there is no tensor with this number", "没有这个编号的张量")))?;
    let info = tensor.tensor_type.info().filter(|info| info.block_bytes > 0);
    let info = info.ok_or_else(|| {
        let ty = tensor.tensor_type;
        Refusal::unsupported((format!("nothing is known of the blocks of {ty}"), format!("不了解 {ty} 的块")))
    })?;
    Ok((tensor, info))
}

/// The values of a block in little-endian order; none where nothing decodes them.
fn decoded(info: &TensorTypeInfo, ordered: &[u8]) -> Vec<f32> {
    let mut values = vec![0.0; info.block_elems as usize];
    let codec = ggufkit_quant::codec(info.ty);
    match codec.map(|codec| codec.decode(ordered, &mut values)) {
        Some(Ok(())) => values,
        _ => Vec::new(),
    }
}

pub(super) fn block(session: &Session, query: &Query<'_>) -> Answer {
    let (number, file, view) = session.viewed(query)?;
    let (tensor, info) = tensor(&view, query)?;
    let lang = query.lang()?;
    let (place, raw, ordered) = read_block(file, &view, tensor, query.number("block")?)?;
    let count = blocks::block_count(view.index(), tensor)
        .map_err(|error| Refusal::unsupported(Said::of(&error.to_string())))?;
    let members = readings(info, &ordered).into_iter().map(|read| {
        let values = read.numbers.iter().flat_map(|numbers| numbers.values.iter());
        Member {
            name: read.part.name,
            start: read.part.offset,
            end: read.part.offset.saturating_add(read.part.bytes),
            unit: read.part.unit.name(),
            meaning: read.part.bits.get(lang),
            values: values.map(|value| units::scalar_text(*value)).collect(),
        }
    });
    let (owners, bits) = owners(info);
    json(&Block {
        ty: info.name,
        block: place.block,
        blocks: count,
        elements: place.elements,
        first_element: place
            .row
            .saturating_mul(view.index().dims(tensor).first().copied().unwrap_or(1))
            .saturating_add(place.first),
        row: place.row,
        span: Place::new(number, place.span()),
        data: base64(&raw),
        formula: info.formula,
        members: members.collect(),
        owners,
        bits,
        values: decoded(info, &ordered).into_iter().map(Num::single).collect(),
    })
}

/// Whose each bit of a block is, byte by byte in little-endian order, the lowest bit first.
fn owners(info: &TensorTypeInfo) -> (Vec<Owner>, Vec<usize>) {
    let cells = cells(info);
    if cells.is_empty() {
        return (Vec::new(), Vec::new());
    }
    // The first is nobody.
    let mut owners = vec![Owner { symbol: String::new(), element: None }];
    let mut known: Vec<(Sym, u32)> = Vec::new();
    let mut bits = vec![0; (info.block_bytes as usize).saturating_mul(8)];
    for cell in &cells {
        let key = (cell.sym, cell.index);
        let owner = match known.iter().position(|other| *other == key) {
            Some(at) => at + 1,
            None => {
                known.push(key);
                let symbol = match cell.sym {
                    Sym::Number(name) => name.to_owned(),
                    sym => format!("{}[{}]", sym.name(), cell.index),
                };
                let element = matches!(cell.sym, Sym::Quant | Sym::Sign).then_some(cell.index);
                owners.push(Owner { symbol, element });
                known.len()
            }
        };
        let first = (cell.byte as usize).saturating_mul(8).saturating_add(cell.low.into());
        for bit in bits.iter_mut().skip(first).take(cell.width.into()) {
            *bit = owner;
        }
    }
    (owners, bits)
}

#[derive(Serialize)]
struct Worked {
    element: u32,
    formula: String,
    rule: &'static str,
    terms: Vec<Term>,
    value: Num,
}

#[derive(Serialize)]
struct Term {
    name: String,
    value: String,
    /// How the value follows from what was read before.
    how: Option<String>,
    bits: Vec<u32>,
}

pub(super) fn worked(session: &Session, query: &Query<'_>) -> Answer {
    let (_, file, view) = session.viewed(query)?;
    let (tensor, info) = tensor(&view, query)?;
    query.lang()?;
    let element: u32 = query.number("element")?;
    let (_, _, ordered) = read_block(file, &view, tensor, query.number("block")?)?;
    if element >= info.block_elems {
        return Err(Refusal::not_found((
            format!("a block has {} elements", info.block_elems),
            format!("一个块有 {} 个元素", info.block_elems),
        )));
    }
    let worked = blocks::work(info, &ordered, element);
    let worked = worked.ok_or_else(|| {
        Refusal::unsupported(("nothing is known of how this value comes about", "不知道这个数值如何得出"))
    })?;
    let terms = worked.terms.into_iter().map(|term| {
        let bit = |(byte, high, low): (u32, u8, u8)| {
            (low..=high).map(move |bit| byte.saturating_mul(8).saturating_add(bit.into()))
        };
        Term {
            name: term.name,
            value: term.value,
            how: term.how,
            bits: term.bits.into_iter().flat_map(bit).collect(),
        }
    });
    // A codebook may not be kept where values are worked out; where they are decoded it is.
    let value = decoded(info, &ordered).get(element as usize).copied().or(worked.value);
    json(&Worked {
        element,
        formula: worked.expression,
        rule: info.formula,
        terms: terms.collect(),
        value: value.map_or(Num(f64::NAN), Num::single),
    })
}
