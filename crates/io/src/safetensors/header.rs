//! The header's JSON, read as it comes: the order of the names is kept, and a name that comes twice is found.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};

/// A header.
#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) tensors: Vec<(String, Record)>,
    pub(super) metadata: Vec<(String, String)>,
}

/// What it says of a tensor.
#[derive(Debug, serde::Deserialize)]
pub(super) struct Record {
    pub(super) dtype: String,
    pub(super) shape: Vec<u64>,
    pub(super) data_offsets: (u64, u64),
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InOrder)
    }
}

struct InOrder;

impl<'de> Visitor<'de> for InOrder {
    type Value = Header;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Header, A::Error> {
        let mut header = Header::default();
        let mut seen = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !seen.insert(name.clone()) {
                return Err(A::Error::custom(format_args!("{name:?} is there twice")));
            }
            if name == super::RESERVED {
                let metadata: Option<std::collections::BTreeMap<String, String>> = map.next_value()?;
                header.metadata = metadata.unwrap_or_default().into_iter().collect();
            } else {
                header.tensors.push((name, map.next_value()?));
            }
        }
        Ok(header)
    }
}
