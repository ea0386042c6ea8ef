//! Names of files for names of tensors.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// Characters of a name before the extension; file systems hold 255 bytes with it.
const MAX: usize = 200;

/// Names of files for names of tensors: nothing in them leaves the folder, no system takes one for something else, and no
/// two are the same.
///
/// A name follows from the tensor's own name, and where that is not enough from the tensors before it in the model: so
/// every tensor of a model is named, in order, whether it is written or not.
#[derive(Default)]
pub(super) struct Names(BTreeMap<String, usize>);

impl Names {
    /// The name of the next tensor's file.
    pub(super) fn file(&mut self, name: &[u8], extension: &str) -> PathBuf {
        let stem = stem(name);
        // File systems that do not tell case apart would merge two such names.
        let times = self.0.entry(stem.to_ascii_lowercase()).or_insert(0);
        *times += 1;
        // A `~` in a tensor's name is escaped, so these names are nobody else's.
        PathBuf::from(if *times == 1 {
            format!("{stem}.{extension}")
        } else {
            format!("{stem}~{times}.{extension}")
        })
    }
}

/// The tensor's name as far as every file system takes it; other bytes are `%` and two digits.
fn stem(name: &[u8]) -> String {
    let mut stem = String::new();
    let reserved = is_device(name);
    for (at, &byte) in name.iter().take(MAX).enumerate() {
        match byte {
            b'.' if stem.is_empty() => stem.push_str("%2e"),
            first if reserved && at == 0 => stem.push_str(&format!("%{first:02x}")),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' => stem.push(byte.into()),
            other => stem.push_str(&format!("%{other:02x}")),
        }
    }
    if stem.is_empty() {
        stem.push_str("%00");
    }
    stem.truncate(MAX);
    stem
}

/// Whether Windows takes a file of this name, whatever its extension, for a device.
fn is_device(name: &[u8]) -> bool {
    let word = name.split(|&byte| byte == b'.').next().unwrap_or_default().to_ascii_lowercase();
    match word.as_slice() {
        b"con" | b"prn" | b"aux" | b"nul" => true,
        [b'c', b'o', b'm', digit] | [b'l', b'p', b't', digit] => digit.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leaves_the_folder_and_none_is_taken_twice() {
        let mut names = Names::default();
        let mut file = |name: &[u8]| names.file(name, "bin").display().to_string();
        assert_eq!(file(b"blk.0.attn_q.weight"), "blk.0.attn_q.weight.bin");
        assert_eq!(file(b"../../etc/passwd"), "%2e.%2f..%2fetc%2fpasswd.bin");
        assert_eq!(file(b""), "%00.bin");
        assert_eq!(file(b"a\0b\x1b"), "a%00b%1b.bin");
        assert_eq!(file(b"W"), "W.bin");
        assert_eq!(file(b"w"), "w~2.bin");
        assert!(file(&[0xff; 5000]).len() < 255);
    }

    #[test]
    fn no_name_is_that_of_a_device() {
        for (name, expected) in [
            (&b"CON"[..], "%43ON.bin"),
            (b"nul", "%6eul.bin"),
            (b"aux.weight", "%61ux.weight.bin"),
            (b"Com1.a.b", "%43om1.a.b.bin"),
            (b"LPT9", "%4cPT9.bin"),
            (b"prn.", "%70rn..bin"),
            (b"console", "console.bin"),
            (b"com10", "com10.bin"),
            (b"auxiliary.nul", "auxiliary.nul.bin"),
            (b"blk.0.con", "blk.0.con.bin"),
        ] {
            assert_eq!(Names::default().file(name, "bin").display().to_string(), expected);
        }
    }
}
