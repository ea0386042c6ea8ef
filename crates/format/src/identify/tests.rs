//! Tests of identities: hand-made first bytes of each kind, every prefix of each, bytes that only look like something.

use super::*;
use alloc::format;
use alloc::vec;

/// What is known about a text: its first bytes, the identifier, and words that the sentence must hold.
type Sample = (Vec<u8>, &'static str, &'static [&'static str]);

/// A GGUF of version 3 without keys and tensors.
const GGUF: &[u8] = b"GGUF\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

fn join(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// The header of a zip member that is stored without compression.
fn zip_member(name: &str, data: &[u8]) -> Vec<u8> {
    let name_len = u16::try_from(name.len()).unwrap().to_le_bytes();
    let size = u32::try_from(data.len()).unwrap().to_le_bytes();
    // Signature; version 2.0, no flags, method 0, time, date, CRC; both sizes; lengths of name and extra field.
    join(&[
        b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0",
        &size,
        &size,
        &name_len,
        b"\0\0",
        name.as_bytes(),
        data,
    ])
}

/// A tar header with the mark of POSIX at byte 257.
fn tar_header(name: &str) -> Vec<u8> {
    let mut block = vec![0_u8; 512];
    block[..name.len()].copy_from_slice(name.as_bytes());
    block[257..265].copy_from_slice(b"ustar\x0000");
    block
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    let unit = |u: u16| if big { u.to_be_bytes() } else { u.to_le_bytes() };
    core::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect()
}

const OID: &str = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";

fn samples() -> Vec<Sample> {
    let text = |s: &str| s.as_bytes().to_vec();
    let mut pe = vec![0_u8; 0x90];
    pe[..2].copy_from_slice(b"MZ");
    pe[0x3c] = 0x80;
    pe[0x80..0x84].copy_from_slice(b"PE\0\0");
    vec![
        (GGUF.into(), "gguf", &["GGUF"]),
        // Big-endian files have the same magic.
        (b"GGUF\0\0\0\x03".into(), "gguf", &["GGUF"]),
        (
            text(&format!("version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize 4683074240\n")),
            "git-lfs-pointer",
            &["Git LFS pointer", "4683074240 bytes", OID],
        ),
        (
            text(&format!("version https://git-lfs.github.com/spec/v1\r\noid sha256:{OID}\r\nsize 12\r\n")),
            "git-lfs-pointer",
            &["12 bytes", OID],
        ),
        (
            text("version https://git-lfs.github.com/spec/v1\noid sha256:<b>\nsize 18446744073709551616\n"),
            "git-lfs-pointer",
            &["Git LFS pointer, not the file that it stands for"],
        ),
        (text("/annex/objects/SHA256E-s4683074240--4d7a.gguf\n"), "git-annex-pointer", &["git-annex"]),
        (
            text("<!DOCTYPE html>\n<html><head>\n<title>\n Sign in \u{b7} Hub\n</title>"),
            "html",
            &["web page titled \"Sign in ? Hub\""],
        ),
        (text("\u{feff}  <HTML><Body>Not found"), "html", &["web page"]),
        (
            text("<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<html xmlns=\"x\"><title>404</title>"),
            "html",
            &["\"404\""],
        ),
        (text("<!-- cached --><html></html>"), "html", &["web page"]),
        (
            text(
                "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>",
            ),
            "xml",
            &["XML", "AccessDenied"],
        ),
        (text("<Error><Code>NoSuchKey</Code></Error>"), "xml", &["NoSuchKey"]),
        (text("<?xml version=\"1.0\"?><svg/>"), "xml", &["XML"]),
        (text("{\"error\":\"Repository not found\"}"), "json-error", &["error", "\"Repository not found\""]),
        (
            text("{\"error\": {\"code\": 404, \"message\": \"no such \\\"model\\\"\"}}"),
            "json-error",
            &["\"no such\""],
        ),
        (text("{\"message\":\"Bad credentials\",\"status\":\"401\"}"), "json-error", &["Bad credentials"]),
        (
            text("{\"metadata\":{\"total_size\":1},\"weight_map\":{\"a\":\"b\"}}"),
            "safetensors-index",
            &["safetensors"],
        ),
        (text("{\n  \"architectures\": [\"LlamaForCausalLM\"],"), "json", &["configuration"]),
        (
            text(
                "{\"schemaVersion\":2,\"mediaType\":\"application/vnd.docker.distribution.manifest.v2+json\"",
            ),
            "json",
            &["manifest"],
        ),
        (text("[1, 2, 3]"), "json", &["JSON"]),
        (text("{\n}\n"), "json", &["JSON"]),
        (
            text("HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nNot found"),
            "http-response",
            &["HTTP", "404"],
        ),
        // {"w":{"dtype":"F32", ...}} of 54 bytes.
        (b"\x36\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\"".into(), "safetensors", &["safetensors", "54 bytes"]),
        (b"\x08\0\0\0\0\0\0\0{}      ".into(), "safetensors", &["safetensors"]),
        // The magics are numbers whose hexadecimal digits spell the name: 0x67676a74 is `ggjt`.
        (
            join(&[&0x6767_6a74_u32.to_le_bytes(), &3_u32.to_le_bytes(), &[0; 60]]),
            "legacy-ggml",
            &["legacy GGJT", "version 3"],
        ),
        (
            join(&[&0x6767_6a74_u32.to_be_bytes(), &2_u32.to_be_bytes()]),
            "legacy-ggml",
            &["legacy GGJT", "version 2"],
        ),
        (
            join(&[&0x6767_6d66_u32.to_le_bytes(), &1_u32.to_le_bytes()]),
            "legacy-ggml",
            &["legacy GGMF", "version 1"],
        ),
        (
            join(&[&0x6767_6d6c_u32.to_le_bytes(), &32000_u32.to_le_bytes()]),
            "legacy-ggml",
            &["legacy GGML model, a"],
        ),
        (
            join(&[&0x6767_6c61_u32.to_le_bytes(), &1_u32.to_le_bytes()]),
            "legacy-ggml",
            &["legacy GGLA LoRA adapter"],
        ),
        (
            join(&[&0x6767_6363_u32.to_le_bytes(), &10_u32.to_le_bytes()]),
            "legacy-ggml",
            &["legacy GGCC", "version 10"],
        ),
        (join(&[&0x6767_736e_u32.to_le_bytes(), &9_u32.to_le_bytes()]), "llama-state", &["state"]),
        (join(&[&0x6767_7371_u32.to_le_bytes(), &2_u32.to_le_bytes()]), "llama-state", &["state"]),
        (
            join(&[&2_u32.to_le_bytes(), &19_u32.to_le_bytes(), b"blk.0.ffn_up.weight", &[0; 8]]),
            "legacy-imatrix",
            &["importance matrix", "legacy", "2 entries"],
        ),
        (zip_member("archive/data.pkl", b"\x80\x02}q\0."), "pytorch-zip", &["PyTorch"]),
        (zip_member("model/.format_version", b"1"), "pytorch-zip", &["PyTorch"]),
        (zip_member("arr_0.npy", b"\x93NUMPY"), "npz", &["NumPy"]),
        (zip_member("metadata.json", b"{\"keras_version\": \"3.0\"}"), "keras", &["Keras"]),
        (zip_member("model.gguf", GGUF), "zip", &["zip archive", "magic at offset 40"]),
        (b"PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0".into(), "zip", &["zip archive"]),
        (join(&[&tar_header("model.gguf"), GGUF]), "tar", &["tar archive", "magic at offset 512"]),
        // pickle.dumps({}, 2), pickle.dumps([1], 4)
        (b"\x80\x02}q\0.".into(), "pickle", &["pickle", "protocol 2"]),
        (b"\x80\x04\x95\x06\0\0\0\0\0\0\0]\x94K\x01a.".into(), "pickle", &["pickle", "protocol 4"]),
        (
            b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.".into(),
            "pickle",
            &["PyTorch", "before 1.6"],
        ),
        (b"\x08\x08\x12\x07pytorch\x1a\x052.1.0:\x80\x01".into(), "onnx", &["ONNX"]),
        (b"\x08\x0a:\xe3\x02\x0a\x1a".into(), "onnx", &["ONNX"]),
        (b"\x1c\0\0\0TFL3\x14\0".into(), "tflite", &["TensorFlow Lite"]),
        (b"\x93NUMPY\x01\0v\0{'descr': '<f4'".into(), "npy", &["NumPy"]),
        (b"\x89HDF\r\n\x1a\n\0\0".into(), "hdf5", &["HDF5"]),
        (b"PAR1\x15\x04".into(), "parquet", &["Parquet"]),
        (b"SQLite format 3\0\x10\0".into(), "sqlite", &["SQLite"]),
        (b"\x1f\x8b\x08\0\0\0\0\0\0\xff".into(), "compressed", &["gzip"]),
        (b"\xfd7zXZ\0\0\x04".into(), "compressed", &["xz"]),
        (b"\x28\xb5\x2f\xfd\x24\x05".into(), "compressed", &["Zstandard"]),
        (b"BZh91AY&SY".into(), "compressed", &["bzip2"]),
        (b"\x04\x22\x4d\x18\x64\x40".into(), "compressed", &["LZ4"]),
        (b"7z\xbc\xaf\x27\x1c\0\x04".into(), "compressed", &["7-Zip"]),
        (b"Rar!\x1a\x07\x01\0".into(), "compressed", &["RAR"]),
        (b"\x7fELF\x02\x01\x01\0".into(), "executable", &["ELF"]),
        (b"\xcf\xfa\xed\xfe\x07\0\0\x01".into(), "executable", &["Mach-O"]),
        (b"MZqFpD='\n".into(), "executable", &["APE"]),
        (pe, "executable", &["PE"]),
        (b"%PDF-1.7\n%".into(), "pdf", &["PDF"]),
        (b"\x89PNG\r\n\x1a\n".into(), "image", &["PNG"]),
        (b"RIFF\x24\0\0\0WEBPVP8 ".into(), "image", &["WebP"]),
        (join(&[b"\xef\xbb\xbf", GGUF]), "gguf-after", &["magic", "offset 3", "byte order mark"]),
        (join(&[b"\0JUNK\x01\x02", GGUF]), "gguf-after", &["magic", "offset 7", "other data"]),
        (join(&[b"\n", GGUF]), "gguf-after", &["magic", "offset 1,", "1 byte of text"]),
        (join(&[&[0; 64], GGUF]), "gguf-after", &["magic", "offset 64", "zeros"]),
        (
            join(&[b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n", GGUF]),
            "gguf-after",
            &["magic", "offset 30", "HTTP"],
        ),
        (join(&[b"--b\r\nContent-Disposition: form-data\r\n\r\n", GGUF]), "gguf-after", &["magic", "form"]),
        // A big-endian file behind a byte.
        (b"xGGUF\0\0\0\x03".into(), "gguf-after", &["magic", "offset 1,"]),
        (b"FUGG\0\0\0\x03".into(), "byte-swapped-magic", &["magic", "byte-swapped", "every 4 bytes"]),
        (b"GGFU\0\x03\0\0".into(), "byte-swapped-magic", &["magic", "byte-swapped", "every 2 bytes"]),
        (utf16("GGUF\u{3}\0\0\0", false), "utf-16", &["magic", "UTF-16"]),
        (utf16("GGUF\u{3}\0\0\0", true), "utf-16", &["magic", "UTF-16"]),
        (utf16("Entry not found", false), "utf-16", &["text in UTF-16"]),
        // base64 of the 24 bytes of an empty GGUF.
        (b"R0dVRgMAAAAAAAAAAAAAAAAAAAAAAAAA".into(), "base64-gguf", &["base64", "magic"]),
        (text("Invalid username or password."), "text", &["begins \"Invalid username or password.\""]),
        (text("\n\nFROM llama3\nPARAMETER x"), "text", &["\"FROM llama3\""]),
        (text("[2024-01-01 12:00] started"), "text", &["[2024-01-01 12:00] started"]),
        (text("模型不存在"), "text", &["begins \"?\""]),
        (vec![0; 4096], "zeros", &["4096 bytes are all zero"]),
        (b"\x01\x02\x03\xff".into(), "unknown", &["01 02 03 ff"]),
    ]
}

#[test]
fn each_kind() {
    for (bytes, name, words) in samples() {
        let identity = identify(&bytes, None);
        assert_eq!(identity.name(), name, "{identity:?}");
        let sentence = identity.describe();
        for word in words {
            assert!(sentence.contains(word), "{name}: {sentence:?} does not say {word:?}");
        }
        // Knowing the length of a file that goes on changes nothing.
        assert_eq!(identify(&bytes, Some(1 << 40)), identity);
    }
}

#[test]
fn fields() {
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{OID}\nsize 4683074240\n");
    assert_eq!(
        identify(pointer.as_bytes(), None),
        Identity::GitLfsPointer { oid: Some(OID.into()), size: Some(4_683_074_240) }
    );
    // An upper-case hash is not what Git LFS writes, a negative size is none.
    let odd =
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize -1\n", OID.to_uppercase());
    assert_eq!(identify(odd.as_bytes(), None), Identity::GitLfsPointer { oid: None, size: None });

    let ggjt = b"tjgg\x03\0\0\0";
    assert_eq!(identify(ggjt, None), Identity::LegacyGgml { magic: LegacyMagic::Ggjt, version: Some(3) });
    assert_eq!(identify(&ggjt[..6], None), Identity::LegacyGgml { magic: LegacyMagic::Ggjt, version: None });
    assert_eq!(identify(b"HTTP/2 403 \r\n\r\n", None), Identity::HttpResponse { status: Some(403) });
    assert_eq!(identify(b"HTTP/1.1 bad\r\n", None), Identity::HttpResponse { status: None });
}

#[test]
fn lengths() {
    assert_eq!(identify(b"", None), Identity::Empty);
    assert_eq!(identify(b"", Some(0)), Identity::Empty);
    assert_eq!(identify(b"", None).describe(), "the file is empty (0 bytes)");
    assert_eq!(identify(b"GGU", None), Identity::TooShort { len: 3 });
    assert_eq!(identify(b"GGU", Some(3)).describe(), "the file is too short for a magic: 3 bytes of 4");
    assert_eq!(identify(b"\0", Some(1)).describe(), "the file is too short for a magic: 1 byte of 4");
    // The magic alone is a GGUF that is cut short, which the parser reports.
    assert_eq!(identify(b"GGUF", Some(4)), Identity::Gguf);
    assert_eq!(
        identify(b"\xef\xbb\xbfGGUF\x03", None),
        Identity::GgufAfter { offset: 3, what: Leading::Utf8Bom }
    );
    // Nothing read of a long file says nothing about it.
    assert_eq!(identify(b"", Some(100)), Identity::Unknown { first_bytes: vec![] });
    assert_eq!(identify(b"\0\0", Some(100)), Identity::Zeros { seen: 2 });
}

/// Bytes that share something with a kind and are not of it.
#[test]
fn look_alikes() {
    for (bytes, name) in [
        // A safetensors header would be longer than the library reads; or is no object.
        (&b"\x01\xe1\xf5\x05\0\0\0\0{\"w\":{}}"[..], "unknown"),
        (b"\x36\0\0\0\0\0\0\0[1]", "unknown"),
        (b"\x36\0\0\0\0\0\0\0{w", "unknown"),
        // Protocol 1 and 6, an operation that no pickle begins with.
        (b"\x80\x01}.", "unknown"),
        (b"\x80\x06}.", "unknown"),
        (b"\x80\x02\xff.", "unknown"),
        (b"\x08\x08\x12\x07pyt\x01rch\x1a", "unknown"),
        (b"MZ\x01\x02", "unknown"),
        (b"BZh9 is text", "text"),
        (b"lmgh\0\0\0\0", "unknown"),
        (b"gguf in lower case", "text"),
        (b"HTTP/x 200 OK", "text"),
        (b"version https://example.com/spec/v1\n", "text"),
        (b"{not json}", "text"),
        (b"<3 you", "text"),
        // The magic in a text, without a version.
        (b"The GGUF format", "text"),
        (b"\xef\xbb\xbfGGUF is a format", "text"),
        (b"a bell \x07", "unknown"),
        // Latin-1.
        (b"caf\xe9 au lait", "unknown"),
        (b"\0\0\0\0\x01", "unknown"),
    ] {
        let identity = identify(bytes, None);
        assert_eq!(identity.name(), name, "{:?}: {identity:?}", bytes.escape_ascii());
    }
    assert_eq!(identify(&[0xf9; 40], None), Identity::Unknown { first_bytes: vec![0xf9; 16] });
    // A character that the end of the bytes cuts does not make a text binary.
    assert_eq!(identify("naïve é".as_bytes().split_last().unwrap().1, None).name(), "text");
}

/// Whatever a file holds, what is said is one line of printable ASCII that is not too long.
fn check(bytes: &[u8]) {
    for len in [None, Some(0), Some(2), Some(bytes.len() as u64), Some(u64::MAX)] {
        let identity = identify(bytes, len);
        let printable = |s: &str| s.bytes().all(|b| (0x20..0x7f).contains(&b));
        let sentence = identity.describe();
        assert!(printable(&sentence) && sentence.len() < 200, "{sentence:?}");
        assert!(identity.help().is_none_or(|h| printable(&h) && h.len() < 250 && !h.ends_with('.')));
        assert!(identity.name().bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-')));
    }
}

#[test]
fn every_prefix_and_every_changed_byte() {
    for (bytes, ..) in samples() {
        for end in 0..=bytes.len().min(600) {
            check(&bytes[..end]);
        }
        for at in 0..bytes.len().min(64) {
            for value in [0, 1, 0x1b, b'"', b'<', 0x7f, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] = value;
                check(&changed);
            }
        }
    }
}

/// Bytes from a small generator (xorshift), alone and behind the beginning of each kind.
#[test]
fn arbitrary_bytes() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for (bytes, ..) in samples() {
        for _ in 0..40 {
            let keep = usize::try_from(next() % 12).unwrap().min(bytes.len());
            let mut mixed = bytes[..keep].to_vec();
            mixed.extend((0..next() % 80).map(|_| next().to_le_bytes()[0]));
            check(&mixed);
        }
    }
}

#[test]
fn quotes_cannot_act() {
    let page = b"<title>\x1b]0;owned\x07 \xe2\x80\xae abc\r\nX-Evil: 1</title>";
    assert_eq!(identify(page, None), Identity::Html { title: Some("?]0;owned? ? abc X-Evil: 1".into()) });
    let long = format!("<title>{}</title>", "a ".repeat(500));
    let Identity::Html { title: Some(title) } = identify(long.as_bytes(), None) else { panic!() };
    assert_eq!(title, format!("{}...", "a ".repeat(40).trim_end()));
    assert_eq!(identify(b"<title> \t </title>", None), Identity::Html { title: None });
    assert_eq!(identify(b"<Error><Code>\xff\xfe\xfd</Code>", None), Identity::Xml { code: Some("?".into()) });
}

#[test]
fn help_says_what_to_do() {
    let help = |bytes: &[u8]| identify(bytes, None).help().unwrap_or_default();
    assert!(help(b"version https://git-lfs.github.com/spec/v1\n").contains("git lfs pull"));
    assert!(help(b"\x36\0\0\0\0\0\0\0{\"w\":{}}").contains("convert_hf_to_gguf.py"));
    assert!(help(b"tjgg\x03\0\0\0").contains("must be converted"));
    assert!(help(b"\xef\xbb\xbfGGUF\x03\0\0\0").contains("--offset 3"));
    assert!(help(&join(&[b"\0JUNK\x01\x02", GGUF])).contains("--offset 7"));
    assert!(help(&[0; 64]).contains("download it again"));
    assert!(help(b"").contains("download it again"));
    assert!(help(b"<!doctype html>").contains("/resolve/"));
    assert_eq!(identify(GGUF, None).help(), None);
}

#[test]
fn magics_are_found() {
    // The definition, one position after another.
    let plain = |hay: &[u8], from: usize| {
        (from..hay.len()).find(|at| {
            let Some([b'G', b'G', b'U', b'F', v @ ..]) = hay.get(*at..*at + 8) else { return false };
            let v: [u8; 4] = v.try_into().unwrap();
            matches!(v, [1..=3, 0, 0, 0] | [0, 0, 0, 1..=3])
        })
    };
    assert_eq!(find_magic(GGUF, 0), Some(0));
    assert_eq!(find_magic(GGUF, 1), None);
    assert_eq!(find_magic(b"GGUF\x03\0\0", 0), None);
    assert_eq!(find_magic(b"GGUF\x04\0\0\0", 0), None);
    assert_eq!(find_magic(b"GGUF\0\0\0\0", 0), None);
    assert_eq!(find_magic(b"GGUF\0\0\0\x02", 0), Some(0));
    assert_eq!(find_magic(b"", 0), None);
    assert_eq!(find_magic(GGUF, usize::MAX), None);
    // Joined files: the second is found behind the first.
    let joined = join(&[GGUF, &[7; 13], GGUF]);
    assert_eq!(find_magic(&joined, 1), Some(37));
    // All short runs of the magic's letters, a version behind them, at every start.
    let mut runs = vec![Vec::new()];
    for len in 0..7 {
        for run in runs.clone().into_iter().filter(|r: &Vec<u8>| r.len() == len) {
            runs.extend(b"GUF\0".iter().map(|b| join(&[&run, &[*b]])));
        }
    }
    for run in &runs {
        let hay = join(&[run, b"\x03\0\0\0GGUF\0\0\0\x01"]);
        for from in 0..=hay.len() {
            assert_eq!(find_magic(&hay, from), plain(&hay, from), "{:?} from {from}", hay.escape_ascii());
        }
    }
}
