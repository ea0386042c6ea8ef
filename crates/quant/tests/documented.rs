//! The table in `docs/values.md` says what the codecs do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use ggufkit_format::spec::TENSOR_TYPES;
use ggufkit_quant::{Codec, Importance, codec};

#[test]
fn every_type_has_its_row() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/values.md");
    let text = std::fs::read_to_string(path).unwrap();
    for info in TENSOR_TYPES.iter().filter(|info| !info.is_removed()) {
        let start = format!("| `{}` |", info.name);
        let row = text.lines().find(|line| line.starts_with(&start));
        let row = row.unwrap_or_else(|| panic!("{} has no row", info.name));
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let codec = codec(info.ty);
        let yes = |what| if what { "yes" } else { "no" };
        let importance = match codec.and_then(Codec::importance) {
            Some(Importance::Optional) => "helps",
            Some(Importance::Required) => "needed",
            Some(Importance::Unused) | None => "",
        };
        let expected = [
            &format!("{}", info.bits_per_weight()),
            yes(codec.is_some()),
            yes(codec.is_some_and(Codec::can_encode)),
            importance,
        ];
        assert_eq!(cells[2..6], expected, "{row}");
    }
}
