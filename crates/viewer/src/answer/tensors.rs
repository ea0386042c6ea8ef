//! The tensors of a model as rows.

use ggufkit_format::shorten;
use ggufkit_inspect::tensors::{Row, Sizing, Table};
use serde::Serialize;

use super::query::Query;
use super::session::Session;
use super::shape::Place;
use super::{Answer, MAX_LIST, json};

/// Characters of a name.
const NAME: usize = 300;

#[derive(Serialize)]
struct Tensors {
    total: usize,
    tensors: Vec<Told>,
}

#[derive(Serialize)]
struct Told {
    file: usize,
    index: usize,
    name: String,
    #[serde(rename = "type")]
    ty: String,
    shape: Vec<u64>,
    elements: Option<u64>,
    bytes: Option<u64>,
    sizing: Sizing,
    bits_per_weight: Option<f64>,
    layer: Option<u64>,
    data: Option<Place>,
    info: Place,
    readable: bool,
}

pub(super) fn tensors(session: &Session, query: &Query<'_>) -> Answer {
    let (_, opened) = session.opened(query, "model")?;
    let from: usize = query.text("from").map_or(Ok(0), |_| query.number("from"))?;
    if session.parts(opened).is_empty() {
        return json(&Tensors { total: 0, tensors: Vec::new() });
    }
    session.with_model(opened, |model, numbers| {
        let table = Table::new(model);
        let rows = table.iter().skip(from).take(MAX_LIST);
        let tensors = rows.map(|row| told(session, numbers, &row)).collect();
        json(&Tensors { total: table.len(), tensors })
    })
}

fn told(session: &Session, numbers: &[usize], row: &Row<'_>) -> Told {
    let file = numbers.get(row.part_index).copied().unwrap_or_default();
    let is_there = row.in_file() == Some(true);
    let seekable = session.files.get(file).is_some_and(|file| file.source.is_some());
    let decoded = ggufkit_quant::codec(row.tensor_type()).is_some() && row.size_error.is_none();
    Told {
        file,
        index: row.index,
        name: shorten(row.name.0, NAME),
        ty: row.tensor_type().to_string(),
        shape: row.dims.to_vec(),
        elements: row.elements,
        bytes: row.size,
        sizing: row.sizing,
        // Room up to the next tensor is no size.
        bits_per_weight: row.bits_per_weight().filter(|_| row.sizing == Sizing::Exact),
        layer: row.layer,
        data: row.span().filter(|_| is_there).map(|span| Place::new(file, span)),
        info: Place::new(file, row.tensor.span),
        readable: is_there && seekable && decoded,
    }
}
