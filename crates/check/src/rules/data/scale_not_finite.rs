use crate::facts::Facts;
use crate::rule::rule;
use crate::sink::Sink;

rule! {
    /// A scale of a quantized block is not finite: NaN, or infinity.
    ///
    /// The scale multiplies every weight of its block (32 to 256 of them), so all of them are lost, and with them every
    /// output of the model. The quantizer met values that were not finite, or the file was damaged after it was written:
    /// the bytes of block types have no other checksum. llama.cpp looks for it only when asked to (`--check-tensors`).
    ///
    /// Compare the file's hash with the publisher's and fetch it again; if it is the same, quantize again from a source
    /// that `gguf check --data` finds sound.
    GG902 "scale-not-finite" Data Error: "a quantized tensor holds block scales that are not finite"
        "量化张量含有非有限的块缩放因子"
}

pub(super) fn check(facts: &Facts<'_>, sink: &mut Sink<'_>) {
    super::data_not_finite::report(facts, sink, &RULE, true);
}

#[cfg(test)]
pub(super) fn bad() -> crate::testing::Recipe {
    let mut data = vec![1; 2 * 34];
    data[34..36].copy_from_slice(&0x7e00_u16.to_le_bytes());
    super::recipes::one(8, &[64], data)
}

#[cfg(test)]
pub(super) fn good() -> crate::testing::Recipe {
    // All ones in the quants are -1, whatever they would be as a half.
    let mut data = vec![0xff; 2 * 34];
    for block in [0, 34] {
        data[block..block + 2].copy_from_slice(&0x7bff_u16.to_le_bytes());
    }
    super::recipes::one(8, &[64], data)
}
