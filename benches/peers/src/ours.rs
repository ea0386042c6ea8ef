//! The project's own readers, in the ways that users have.

use std::path::Path;

use ggufkit::format::{Index, Options, ParseError, parse as parse_bytes};
use ggufkit::io::{FileSource, HeadBuffer};

use crate::{ARCHITECTURE, Found, map, timing::Case};

fn found(index: Result<Index, ParseError>) -> Result<Found, String> {
    let index = index.map_err(|e| e.to_string())?;
    Ok(Found::of(index.kvs().len(), index.tensors().len()))
}

/// Open the file, read all of its head.
pub fn parse(path: &Path) -> Vec<Case<'_, Found>> {
    let mut buffer = HeadBuffer::new();
    let warm = map(path);
    let size = |bytes: &[u8]| Options::new().with_size(Some(bytes.len() as u64));
    vec![
        Case::new("ggufkit, index of bytes in memory", move || {
            let bytes = warm.as_ref().map_err(Clone::clone)?;
            found(parse_bytes(bytes, size(bytes)).into_result())
        }),
        Case::new("ggufkit, open and map", move || {
            let bytes = map(path)?;
            found(parse_bytes(&bytes, size(&bytes)).into_result())
        }),
        Case::new("ggufkit, HeadBuffer used again", move || {
            let source = FileSource::open(path).map_err(|e| e.to_string())?;
            let outcome = buffer.read(&source, Options::new()).map_err(|e| e.to_string())?;
            found(outcome.into_result())
        }),
        Case::new("ggufkit::open", move || {
            let file = ggufkit::open(path).map_err(|e| e.to_string())?;
            Ok(Found::of(file.kvs().len(), file.tensors().len()))
        }),
    ]
}

/// Open the file, get `general.architecture`.
pub fn lookup(path: &Path) -> Vec<Case<'_, Found>> {
    vec![Case::new("ggufkit, lookup", move || {
        let source = FileSource::open(path).map_err(|e| e.to_string())?;
        let mut want = |key: &[u8]| key == ARCHITECTURE.as_bytes();
        let answer =
            ggufkit::io::lookup(&source, Options::new(), &mut want).map_err(|e| e.to_string())?;
        let record = answer.found.ok_or("absent")?;
        let index = record.index();
        let text = record.view(&index).get(ARCHITECTURE).and_then(|v| v.as_str()).map(Found::text);
        text.ok_or_else(|| "not text".to_owned())
    })]
}
