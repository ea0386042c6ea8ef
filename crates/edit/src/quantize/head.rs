//! The key-values of the new file: those of the old one, and what quantizing says of itself.

use std::collections::HashMap;

use ggufkit_format::encode::Encoder;
use ggufkit_format::spec::{FileType, ValueType};
use ggufkit_format::{Plan, Scalar, Span};

use crate::error::EditError;
use crate::shards::{Member, SPLIT_KEYS};

use super::plan::Order;

/// Version of the block formats; all files of today have it.
const QUANTIZATION_VERSION: u32 = 2;

/// Bytes that `llama-quantize` keeps of a text.
pub(super) const LONGEST: usize = 127;

/// What the whole is called.
const FILE_TYPE: &str = "general.file_type";

/// What keys about importance begin with.
const ABOUT_IMPORTANCE: &[u8] = b"quantize.imatrix.";

/// A key-value that is written anew.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum New {
    Number(u32),
    Text(Vec<u8>),
}

/// What quantizing says of itself.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Said {
    pub(super) keys: Vec<(&'static str, New)>,
    /// What was said of importance is not true any more.
    pub(super) forget_importance: bool,
    /// What the file was called as a whole is not true any more, and there is no other name.
    pub(super) forget_file_type: bool,
}

impl Said {
    pub(super) fn of(file_type: Option<FileType>) -> Self {
        let mut keys = vec![("general.quantization_version", New::Number(QUANTIZATION_VERSION))];
        keys.extend(file_type.map(|ty| (FILE_TYPE, New::Number(ty.0))));
        Self { keys, forget_importance: false, forget_file_type: false }
    }
}

/// A record of the new file.
enum Record {
    Old(Span),
    New(Vec<u8>),
}

/// The key-values of the first file, in their order.
pub(super) struct Keys(Vec<Record>);

impl Keys {
    /// Those of the model, of which `spans` are the records that stay.
    pub(super) fn of(
        members: &[Member<'_>],
        spans: &[Span],
        said: &Said,
        order: Order,
        encoder: &Encoder,
    ) -> Result<Self, EditError> {
        let mut names: HashMap<u64, &[u8]> = HashMap::new();
        for member in members {
            for (key, kv) in member.view.kvs() {
                names.insert(member.start.saturating_add(kv.span.start), key.0);
            }
        }
        let mut left: Vec<Option<&(&'static str, New)>> = said.keys.iter().map(Some).collect();
        let mut records = Vec::new();
        for span in spans {
            let name = names.get(&span.start).copied().unwrap_or_default();
            let place = said.keys.iter().position(|(key, _)| key.as_bytes() == name);
            match place {
                // What is there again is not true of the new file either.
                Some(place) => {
                    if let Some(entry) =
                        left.get_mut(place).filter(|_| order == Order::Input).and_then(Option::take)
                    {
                        records.push(Record::New(record(encoder, entry)?));
                    }
                }
                None if said.forget_file_type && name == FILE_TYPE.as_bytes() => {}
                None if said.forget_importance && name.starts_with(ABOUT_IMPORTANCE) => {}
                None => records.push(Record::Old(*span)),
            }
        }
        for entry in left.into_iter().flatten() {
            records.push(Record::New(record(encoder, entry)?));
        }
        Ok(Self(records))
    }

    /// The alignment alone: what a later shard has.
    pub(super) fn alone(alignment: Option<Span>) -> Self {
        Self(alignment.map(Record::Old).into_iter().collect())
    }

    pub(super) fn count(&self) -> u64 {
        self.0.len() as u64
    }

    pub(super) fn write(&self, plan: &mut Plan) -> Result<(), EditError> {
        for record in &self.0 {
            match record {
                Record::Old(span) => plan.copy(*span)?,
                Record::New(bytes) => plan.literal(bytes)?,
            }
        }
        Ok(())
    }
}

fn record(encoder: &Encoder, (key, value): &(&'static str, New)) -> Result<Vec<u8>, EditError> {
    let mut out = Vec::new();
    encoder.string(&mut out, key.as_bytes());
    match value {
        New::Number(number) => {
            encoder.value_type(&mut out, ValueType::UINT32);
            encoder.scalar(&mut out, Scalar::U32(*number))?;
        }
        New::Text(text) => {
            encoder.value_type(&mut out, ValueType::STRING);
            encoder.string(&mut out, text);
        }
    }
    Ok(out)
}

/// The three keys of a shard.
pub(super) fn split_keys(encoder: &Encoder, no: u16, count: u16, tensors: i32) -> Result<Vec<u8>, EditError> {
    let mut out = Vec::new();
    let values = [Scalar::U16(no), Scalar::U16(count), Scalar::I32(tensors)];
    for (key, value) in SPLIT_KEYS.iter().zip(values) {
        encoder.string(&mut out, key.as_bytes());
        encoder.value_type(&mut out, value.value_type());
        encoder.scalar(&mut out, value)?;
    }
    Ok(out)
}
