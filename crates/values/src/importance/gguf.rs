//! The form of today: a GGUF file with two tensors for each one that was measured, `NAME.in_sum2` and `NAME.counts`.

use std::collections::BTreeMap;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Endian, Options, Span, View};
use ggufkit_io::{FileSource, HeadBuffer, TensorReader};

use super::{Counts, Entry, ImportanceError, ImportanceMatrix, length};

/// Data sets that are kept.
const DATASETS: usize = 64;

pub(super) fn read(source: FileSource) -> Result<ImportanceMatrix, ImportanceError> {
    length(&source)?;
    let mut buffer = HeadBuffer::new();
    let index = buffer.read(&source, Options::new())?.into_result().map_err(ImportanceError::Head)?;
    let view = View::new(&index, buffer.bytes());
    let reader = TensorReader::new(&source, view);
    let mut pairs: BTreeMap<Vec<u8>, [Option<Span>; 2]> = BTreeMap::new();
    for (name, tensor) in view.tensors() {
        let ends = [b".in_sum2".as_slice(), b".counts"];
        let found = ends.iter().enumerate().find_map(|(at, end)| Some((at, name.0.strip_suffix(*end)?)));
        let Some((at, of)) = found else { continue };
        let pair = |why| ImportanceError::Pair { name: of.to_vec(), why };
        if tensor.tensor_type != TensorType::F32 {
            return Err(pair("sums and counts are no 32-bit floats"));
        }
        let span = reader.extent(tensor).map_err(|_| pair("its numbers are not in the file"))?.span;
        let slot = pairs.entry(of.to_vec()).or_default().get_mut(at);
        if slot.and_then(|slot| slot.replace(span)).is_some() {
            return Err(pair("it is there twice"));
        }
    }
    let mut entries = BTreeMap::new();
    for (name, pair) in pairs {
        let [Some(sums), Some(counts)] = pair else {
            let why = "sums stand without counts, or counts without sums";
            return Err(ImportanceError::Pair { name, why });
        };
        let each = counts.len / 4;
        if each == 0 || !(sums.len / 4).is_multiple_of(each) {
            let why = "there are not as many numbers for each matrix";
            return Err(ImportanceError::Pair { name, why });
        }
        entries.insert(name, Entry { sums, counts: Counts::Each(counts) });
    }
    if entries.is_empty() {
        return Err(ImportanceError::Empty);
    }
    let texts = view.get("imatrix.datasets").and_then(|value| value.as_array());
    let datasets = texts.map(|texts| {
        texts.iter().take(DATASETS).filter_map(|text| text.as_bytes().map(<[u8]>::to_vec)).collect()
    });
    let chunks = view.get("imatrix.chunk_count").and_then(|value| value.as_u64());
    let big_endian = index.header().endian == Endian::Big;
    Ok(ImportanceMatrix {
        entries,
        datasets: datasets.unwrap_or_default(),
        chunks: chunks.and_then(|chunks| u32::try_from(chunks).ok()).filter(|chunks| *chunks > 0),
        big_endian,
        source,
    })
}
