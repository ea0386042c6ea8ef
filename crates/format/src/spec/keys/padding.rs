//! Keys that hold nothing but room: what an editor of heads puts in, so that the next change need not move the data.

/// Keys that editors pad heads with. The first is the one that ggufkit writes, the second that of another editor.
pub const PADDING: [&str; 2] = ["general.padding", "chisel.pad"];

/// The bytes of room that a key with a text holds; `None` where it is no padding key, or its text says something.
#[must_use]
pub fn room(key: &[u8], text: &[u8]) -> Option<u64> {
    let pads = PADDING.iter().any(|name| name.as_bytes() == key);
    (pads && text.iter().all(|byte| matches!(byte, b' ' | 0))).then_some(text.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_a_padding_key_without_words() {
        for (key, text, expected) in [
            (&b"general.padding"[..], &b"    "[..], Some(4)),
            (b"general.padding", b"", Some(0)),
            (b"chisel.pad", b"\0\0\0", Some(3)),
            (b"general.padding", b" words ", None),
            (b"general.name", b"    ", None),
        ] {
            assert_eq!(room(key, text), expected, "{key:?}");
        }
    }
}
