//! What stands where.

use ggufkit_format::Span;
use ggufkit_format::shorten;
use ggufkit_inspect::Part;
use ggufkit_inspect::regions::{Region, RegionKind, regions};
use ggufkit_inspect::tensors::Table;
use serde::Serialize;

use super::query::Query;
use super::refusal::Refusal;
use super::session::Session;
use super::shape::type_of;
use super::{Answer, json};

/// Regions of all files of a model, about.
const MAX_REGIONS: usize = 24_000;

/// Characters of a name.
const NAME: usize = 160;

#[derive(Serialize)]
struct Map {
    files: Vec<FileMap>,
}

#[derive(Serialize)]
struct FileMap {
    file: usize,
    size: u64,
    regions: Vec<Told>,
    folded: u64,
}

#[derive(Serialize)]
struct Told {
    kind: RegionKind,
    start: u64,
    end: u64,
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    ty: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    layer: Option<Option<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<u64>>,
    /// Things that share the region beside the one that is named.
    #[serde(skip_serializing_if = "is_zero")]
    more: u64,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

pub(super) fn map(session: &Session, query: &Query<'_>) -> Answer {
    let (_, opened) = session.opened(query, "model")?;
    let most = MAX_REGIONS / opened.files.len().max(1);
    let mut files = Vec::new();
    let parts = session.parts(opened);
    for &number in &opened.files {
        let Some(file) = session.files.get(number) else { continue };
        let size = file.length();
        let (found, part) = match parts.iter().find(|(other, _)| *other == number) {
            Some((_, part)) => {
                let alone = Part { size: Some(size), ..*part };
                let model = ggufkit_inspect::Model::single(alone);
                (regions(&alone, &Table::new(&model), 0, most.max(30)), Some(alone))
            }
            None if size > 0 => {
                let region =
                    Region { kind: RegionKind::Unread, span: Span::new(0, size), index: None, more: 0 };
                (vec![region], None)
            }
            None => (Vec::new(), None),
        };
        let folded = found.iter().map(|region| region.more).fold(0, u64::saturating_add);
        let regions = found.iter().map(|region| told(region, part.as_ref())).collect();
        files.push(FileMap { file: number, size, regions, folded });
    }
    if files.is_empty() {
        return Err(Refusal::malformed(("no file of this model could be opened", "此模型的文件都无法打开")));
    }
    json(&Map { files })
}

fn told(region: &Region, part: Option<&Part<'_>>) -> Told {
    let mut out = Told {
        kind: region.kind,
        start: region.span.start,
        end: region.span.end(),
        path: String::new(),
        name: None,
        index: region.index,
        ty: None,
        layer: None,
        shape: None,
        more: region.more,
    };
    let at = region.index.unwrap_or(0);
    let last = at.saturating_add(usize::try_from(region.more).unwrap_or(0));
    let numbered = |what: &str, tail: &str| match region.more {
        0 => format!("{what}[{at}]{tail}"),
        _ => format!("{what}[{at}..={last}]{tail}"),
    };
    out.path = match region.kind {
        RegionKind::Before => "before".to_owned(),
        RegionKind::Header => "header".to_owned(),
        RegionKind::Metadata => numbered("kv", ""),
        RegionKind::TensorInfo => numbered("tensors", ""),
        RegionKind::Padding => "padding".to_owned(),
        RegionKind::Tensor => numbered("tensors", ".data"),
        RegionKind::Gap => "gap".to_owned(),
        RegionKind::Trailing => "trailing".to_owned(),
        RegionKind::Unread => "unparsed".to_owned(),
    };
    let Some(view) = part.map(|part| part.view) else { return out };
    match region.kind {
        RegionKind::Metadata => {
            if let Some(kv) = view.index().kvs().get(at) {
                out.name = Some(shorten(view.key(kv).0, NAME));
                out.ty = Some(type_of(&kv.payload, kv.value_type.to_string()));
            }
        }
        RegionKind::TensorInfo | RegionKind::Tensor => {
            if let Some(tensor) = view.index().tensors().get(at) {
                let name = view.name(tensor);
                out.name = Some(shorten(name.0, NAME));
                out.ty = Some(tensor.tensor_type.to_string());
                out.layer = Some(ggufkit_format::glob::layer_of(name.0));
                out.shape = Some(view.index().dims(tensor).to_vec());
            }
        }
        _ => {}
    }
    out
}
