//! Readings to be compared: a head in pieces, and a reading held against the document that was written.

use ggufkit_format::{Index, Indexer, Options, Outcome, Progress, Scalar, Span, View};

use crate::{Builder, Built, Value};

/// Reads `bytes` (from the magic on) in pieces. `next` is told how many bytes are asked for and says how many more are
/// handed over, at least one.
///
/// On the way it holds the parser to its contract: `at` never goes back, whoever gets what he asked for goes on, and
/// no call asks for nothing.
pub fn in_pieces(bytes: &[u8], options: Options, mut next: impl FnMut(u64) -> usize) -> Outcome {
    let mut indexer = Indexer::new(options);
    let (base, len) = (options.base, bytes.len());
    let mut given = 0_usize;
    let mut promised = None;
    loop {
        let from = index(indexer.position() - base).min(len);
        let to = given.max(from);
        let progress = indexer.advance(&bytes[from..to], to < len);
        let Progress::Need { at, min } = progress else { return indexer.finish() };
        assert!(min > 0, "asks for nothing at {at:#x}");
        assert_eq!(at, indexer.position(), "asks for another place than its own");
        assert!(at - base >= from as u64, "goes back from {from} to {at}");
        if let Some((place, bytes)) = promised
            && place == at
        {
            assert!(
                min > bytes,
                "was given the {bytes} bytes at {at:#x} that it asked for, and asks for {min}"
            );
        }
        let have = to.max(index(at - base).min(len));
        given = have.saturating_add(next(min).max(1)).min(len);
        let there = given as u64 - (at - base).min(len as u64);
        promised = (there >= min).then_some((at, min));
    }
}

fn index(position: u64) -> usize {
    usize::try_from(position).unwrap_or(usize::MAX)
}

/// Everything that a reading came to, as text: two readings are the same when this is.
///
/// Floats are shown by their bits, so that a NaN equals itself.
#[must_use]
pub fn account(outcome: &Outcome) -> String {
    let floats: Vec<u64> = outcome.index.iter().flat_map(|index| index.kvs()).map(float_bits).collect();
    format!("{outcome:?} {floats:?}")
}

fn float_bits(kv: &ggufkit_format::Kv) -> u64 {
    match kv.payload {
        ggufkit_format::Payload::Scalar(Scalar::F32(v)) => v.to_bits().into(),
        ggufkit_format::Payload::Scalar(Scalar::F64(v)) => v.to_bits(),
        _ => 0,
    }
}

/// Holds a reading against the document: every key, type, value, span, tensor and dimension, and that nothing is there
/// that was not written. Panics with the first difference.
#[track_caller]
pub fn assert_reads_back(document: &Builder, file: &Built, index: &Index) {
    let (view, header) = (View::new(index, file.gguf()), index.header());
    assert!(index.is_complete());
    assert_eq!(header.base, file.base());
    assert_eq!(header.span, file.span("header"));
    assert_eq!((header.version, header.endian), (document.version, document.endian));
    assert_eq!(header.dialect, document.dialect);
    assert_eq!(index.head(), file.span("head"));
    assert_eq!(index.kvs().len(), document.kvs().len());
    assert_eq!(index.tensors().len(), document.tensors().len());
    for (i, ((key, value), kv)) in document.kvs().iter().zip(index.kvs()).enumerate() {
        assert_eq!(view.key(kv).0, key, "kv[{i}].key");
        assert_eq!(kv.span, file.span(&format!("kv[{i}]")));
        assert_eq!(kv.key.span, file.span(&format!("kv[{i}].key")));
        let after_type = file.span(&format!("kv[{i}].type")).end();
        assert_eq!(kv.value_span, Span::between(after_type, kv.span.end()), "kv[{i}].value");
        if let Err(difference) = compare(value, view.value(kv)) {
            panic!("kv[{i}].value{difference}");
        }
    }
    let offsets = document.offsets();
    for (i, (tensor, read)) in document.tensors().iter().zip(index.tensors()).enumerate() {
        assert_eq!(view.name(read).0, tensor.name, "tensors[{i}].name");
        assert_eq!(read.span, file.span(&format!("tensors[{i}]")));
        assert_eq!(read.name.span, file.span(&format!("tensors[{i}].name")));
        assert_eq!(index.dims(read), tensor.dims, "tensors[{i}].dims");
        assert_eq!(read.tensor_type.0, tensor.type_id, "tensors[{i}].type");
        assert_eq!(read.offset, offsets[i], "tensors[{i}].offset");
        if let Some(data) = file.find(&format!("tensors[{i}].data")) {
            assert_eq!(index.data_position(read), Some(data.start), "tensors[{i}].data");
        }
    }
}

/// Holds a value that was read against one that was written; says where they differ (`[3]: 1 is not 2`).
///
/// # Errors
/// The first difference.
pub fn compare(written: &Value, read: ggufkit_format::Value<'_>) -> Result<(), String> {
    let same = match (written, &read) {
        (Value::String(a), ggufkit_format::Value::String(b)) => a == b.0,
        (Value::Array(kind, items), ggufkit_format::Value::Array(array)) => {
            if array.len() != items.len() as u64 {
                return Err(format!(": {} elements, not {}", array.len(), items.len()));
            }
            let expected = match kind {
                crate::Kind::F16 => ggufkit_format::spec::ValueType::FLOAT16.0,
                kind => kind.id(ggufkit_format::dialect::TypeIds::Standard),
            };
            if array.element_type().0 != expected {
                return Err(format!(": elements of {}, not {kind:?}", array.element_type()));
            }
            let mut elements = array.iter();
            for (i, item) in items.iter().enumerate() {
                let element = elements.next().ok_or_else(|| format!("[{i}]: missing"))?;
                compare(item, element).map_err(|e| format!("[{i}]{e}"))?;
            }
            if elements.next().is_some() {
                return Err(": more elements than its length".into());
            }
            true
        }
        (written, ggufkit_format::Value::Scalar(read)) => scalar_is(written, *read),
        _ => false,
    };
    if same { Ok(()) } else { Err(format!(": {read:?} is not {written:?}")) }
}

fn scalar_is(written: &Value, read: Scalar) -> bool {
    match (written, read) {
        (Value::U8(a), Scalar::U8(b)) | (Value::Bool(a), Scalar::Bool(b)) => *a == b,
        (Value::I8(a), Scalar::I8(b)) => *a == b,
        (Value::U16(a), Scalar::U16(b)) | (Value::F16(a), Scalar::F16(b)) => *a == b,
        (Value::I16(a), Scalar::I16(b)) => *a == b,
        (Value::U32(a), Scalar::U32(b)) => *a == b,
        (Value::I32(a), Scalar::I32(b)) => *a == b,
        (Value::F32(a), Scalar::F32(b)) => a.to_bits() == b.to_bits(),
        (Value::U64(a), Scalar::U64(b)) => *a == b,
        (Value::I64(a), Scalar::I64(b)) => *a == b,
        (Value::F64(a), Scalar::F64(b)) => a.to_bits() == b.to_bits(),
        _ => false,
    }
}
