//! What is said about each kind: its identifier, a sentence, and what to do.

use super::{Compression, Identity, JsonKind, Leading, LegacyMagic, ZipKind};
use crate::spaced_hex;
use alloc::format;
use alloc::string::String;
use core::fmt::Write as _;

impl Identity {
    /// A short identifier in kebab case, for JSON.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Gguf => "gguf",
            Self::Empty => "empty",
            Self::TooShort { .. } => "too-short",
            Self::GitLfsPointer { .. } => "git-lfs-pointer",
            Self::GitAnnexPointer => "git-annex-pointer",
            Self::Html { .. } => "html",
            Self::Xml { .. } => "xml",
            Self::Json { kind: JsonKind::Error, .. } => "json-error",
            Self::Json { kind: JsonKind::SafetensorsIndex, .. } => "safetensors-index",
            Self::Json { .. } => "json",
            Self::HttpResponse { .. } => "http-response",
            Self::Safetensors { .. } => "safetensors",
            Self::LegacyGgml { .. } => "legacy-ggml",
            Self::LlamaState { .. } => "llama-state",
            Self::LegacyImatrix { .. } => "legacy-imatrix",
            Self::Zip { kind: ZipKind::PyTorch, .. } => "pytorch-zip",
            Self::Zip { kind: ZipKind::Npz, .. } => "npz",
            Self::Zip { kind: ZipKind::Keras, .. } => "keras",
            Self::Zip { .. } => "zip",
            Self::Tar { .. } => "tar",
            Self::Pickle { .. } => "pickle",
            Self::Onnx => "onnx",
            Self::TfLite => "tflite",
            Self::Npy => "npy",
            Self::Hdf5 => "hdf5",
            Self::Parquet => "parquet",
            Self::Sqlite => "sqlite",
            Self::Compressed { .. } => "compressed",
            Self::Executable { .. } => "executable",
            Self::Pdf => "pdf",
            Self::Image { .. } => "image",
            Self::GgufAfter { .. } => "gguf-after",
            Self::ByteSwappedMagic { .. } => "byte-swapped-magic",
            Self::Utf16 { .. } => "utf-16",
            Self::Base64Gguf => "base64-gguf",
            Self::Text { .. } => "text",
            Self::Zeros { .. } => "zeros",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// One plain sentence that says what the file is, without a full stop.
    #[must_use]
    pub fn describe(&self) -> String {
        match self {
            Self::Gguf => "this is a GGUF file".into(),
            Self::Empty => "the file is empty (0 bytes)".into(),
            Self::TooShort { len } => {
                let unit = if *len == 1 { "byte" } else { "bytes" };
                format!("the file is too short for a magic: {len} {unit} of 4")
            }
            Self::GitLfsPointer { oid, size } => {
                let mut text = String::from("this is a Git LFS pointer, not the file that it stands for");
                // Writing to a String does not fail.
                let _ = match (oid, size) {
                    (Some(oid), Some(size)) => write!(text, " ({size} bytes, sha256 {oid})"),
                    (Some(oid), None) => write!(text, " (sha256 {oid})"),
                    (None, Some(size)) => write!(text, " ({size} bytes)"),
                    (None, None) => Ok(()),
                };
                text
            }
            Self::GitAnnexPointer => "this is a git-annex pointer, not the file that it stands for".into(),
            Self::Html { title: Some(title) } => format!("this is a web page titled \"{title}\""),
            Self::Html { title: None } => "this is a web page".into(),
            Self::Xml { code: Some(code) } => {
                format!("this is an XML answer of a server with the code \"{code}\"")
            }
            Self::Xml { code: None } => "this is an XML text".into(),
            Self::Json { kind, message } => json(*kind, message.as_deref()),
            Self::HttpResponse { status: Some(status) } => {
                format!("this is the text of an HTTP response with status {status}")
            }
            Self::HttpResponse { status: None } => "this is the text of an HTTP response".into(),
            Self::Safetensors { header_len } => {
                format!("this looks like a safetensors file (header of {header_len} bytes)")
            }
            Self::LegacyGgml { magic, version } => legacy(*magic, *version),
            Self::LlamaState { .. } => "this is a saved session state of llama.cpp, not a model".into(),
            Self::LegacyImatrix { entries } => {
                let unit = if *entries == 1 { "entry" } else { "entries" };
                format!("this looks like an importance matrix in the legacy .dat format ({entries} {unit})")
            }
            Self::Zip { kind, gguf_at } => {
                let mut text = String::from(match kind {
                    ZipKind::PyTorch => "this is a PyTorch checkpoint (a zip archive)",
                    ZipKind::Npz => "this is a NumPy .npz archive",
                    ZipKind::Keras => "this is a Keras model (a zip archive)",
                    ZipKind::Other => "this is a zip archive",
                });
                member(&mut text, *gguf_at);
                text
            }
            Self::Tar { gguf_at } => {
                let mut text = String::from("this is a tar archive");
                member(&mut text, *gguf_at);
                text
            }
            Self::Pickle { pytorch: true, .. } => {
                "this is a PyTorch checkpoint in the format before 1.6".into()
            }
            Self::Pickle { protocol, .. } => format!("this looks like a Python pickle (protocol {protocol})"),
            Self::Onnx => "this looks like an ONNX model".into(),
            Self::TfLite => "this is a TensorFlow Lite model".into(),
            Self::Npy => "this is a NumPy array (.npy)".into(),
            Self::Hdf5 => "this is an HDF5 file".into(),
            Self::Parquet => "this is a Parquet file".into(),
            Self::Sqlite => "this is an SQLite database".into(),
            Self::Compressed { by } => format!("this is a file compressed with {}", by.name()),
            Self::Executable { format } => format!("this is a program or library ({format})"),
            Self::Pdf => "this is a PDF document".into(),
            Self::Image { format } => format!("this is a picture ({format})"),
            Self::GgufAfter { offset, what } => {
                let unit = if *offset == 1 { "byte" } else { "bytes" };
                let what = match what {
                    Leading::Utf8Bom => "a UTF-8 byte order mark",
                    Leading::HttpHeaders => "the headers of an HTTP response",
                    Leading::FormHeaders => "the headers of an uploaded form",
                    Leading::Zeros => "zeros",
                    Leading::Text => "text",
                    Leading::Bytes => "other data",
                };
                format!("the GGUF magic stands at offset {offset}, behind {offset} {unit} of {what}")
            }
            Self::ByteSwappedMagic { unit } => {
                format!(
                    "the GGUF magic is byte-swapped: every {unit} bytes of the file stand in reverse order"
                )
            }
            Self::Utf16 { gguf: true } => {
                "the GGUF magic is written in UTF-16: a program took the file for text and changed its bytes"
                    .into()
            }
            Self::Utf16 { gguf: false } => "this is a text in UTF-16".into(),
            Self::Base64Gguf => {
                "this is a GGUF file as base64 text: it begins with the magic in that form".into()
            }
            Self::Text { first_line } if first_line.is_empty() => "this is a text".into(),
            Self::Text { first_line } => format!("this is a text that begins \"{first_line}\""),
            Self::Zeros { seen } => format!("the first {seen} bytes are all zero"),
            Self::Unknown { first_bytes } if first_bytes.is_empty() => "nothing of the file was read".into(),
            Self::Unknown { first_bytes } => {
                let bytes = spaced_hex(first_bytes);
                format!("it begins with {bytes}, which is no format known here")
            }
        }
    }

    /// What a person can do about it; nothing for a GGUF and where nothing general can be said.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        const CHECKPOINT: &str = "convert the original model with llama.cpp's `convert_hf_to_gguf.py`";
        const REFUSED: &str = "the server sent this instead of the file: check the address and the access token, then \
                               download again";
        let text = match self {
            Self::Gguf
            | Self::Unknown { .. }
            | Self::Sqlite
            | Self::Parquet
            | Self::Pdf
            | Self::Image { .. } => {
                return None;
            }
            Self::Empty | Self::TooShort { .. } => {
                "the file was never written or not downloaded: download it again"
            }
            Self::GitLfsPointer { .. } => "run `git lfs pull` in its folder, or download the file itself",
            Self::GitAnnexPointer => "run `git annex get` for the file",
            Self::Html { .. } => {
                "the server sent a page instead of the file: use the address for downloading (on Hugging Face \
                 `/resolve/`, not `/blob/`); a gated or private model needs an access token"
            }
            Self::Xml { .. } | Self::HttpResponse { .. } | Self::Json { kind: JsonKind::Error, .. } => {
                REFUSED
            }
            Self::Json { kind: JsonKind::SafetensorsIndex, .. } => {
                "convert the folder that holds it with llama.cpp's `convert_hf_to_gguf.py`"
            }
            Self::Json { kind: JsonKind::Manifest, .. } => {
                "the weights are the manifest's largest layer: a file named by its digest in the `blobs` folder"
            }
            Self::Json { .. } => return None,
            Self::Safetensors { .. } => {
                "convert the folder that holds it with llama.cpp's `convert_hf_to_gguf.py`"
            }
            Self::LegacyGgml { magic: LegacyMagic::Ggla, .. } => {
                "convert the original adapter with llama.cpp's `convert_lora_to_gguf.py`"
            }
            Self::LegacyGgml { magic: LegacyMagic::Ggcc, .. } => CHECKPOINT,
            Self::LegacyGgml { .. } => {
                "it must be converted: use llama.cpp's `convert_llama_ggml_to_gguf.py`, or download the model as GGUF \
                 (whisper.cpp reads its own files of this format)"
            }
            Self::LlamaState { .. } => "give the model that the session was made with",
            Self::LegacyImatrix { .. } => {
                "`gguf quantize --imatrix FILE` takes it as it is; llama.cpp's `llama-imatrix -m MODEL --in-file FILE -o OUT.gguf` converts it"
            }
            Self::Zip { kind: ZipKind::PyTorch, .. } | Self::Onnx | Self::TfLite | Self::Hdf5 => CHECKPOINT,
            Self::Zip { kind: ZipKind::Keras, .. } => CHECKPOINT,
            Self::Zip { gguf_at: Some(at), .. } | Self::Tar { gguf_at: Some(at) } => {
                return Some(format!("unpack it first, or read the member in place with `--offset {at}`"));
            }
            Self::Zip { .. } | Self::Tar { .. } => "unpack it first",
            Self::Pickle { .. } => {
                "convert the original model with llama.cpp's `convert_hf_to_gguf.py`; loading a pickle runs code from \
                 it, so do so only with files that you trust"
            }
            Self::Npy => return None,
            Self::Compressed { by } => match by {
                Compression::Gzip => "decompress it first: `gunzip`",
                Compression::Xz => "decompress it first: `xz -d`",
                Compression::Zstd => "decompress it first: `zstd -d`",
                Compression::Bzip2 => "decompress it first: `bunzip2`",
                Compression::Lz4 => "decompress it first: `lz4 -d`",
                Compression::SevenZip => "unpack it first: `7z x`",
                Compression::Rar => "unpack it first: `unrar x`",
            },
            Self::Executable { .. } => "if it is a llamafile, the GGUF is a member that `unzip` takes out",
            Self::GgufAfter { offset, what } => return Some(after(*offset, *what)),
            Self::ByteSwappedMagic { unit: 2 } => {
                "swap it back with `dd conv=swab`, or fetch it again as binary"
            }
            Self::ByteSwappedMagic { .. } => {
                "swap it back with `objcopy -I binary -O binary --reverse-bytes=4`, or fetch it again as binary"
            }
            Self::Utf16 { gguf: true } => {
                "fetch it again as binary: redirecting with `>` in PowerShell rewrites the bytes"
            }
            Self::Base64Gguf => "decode it first: `base64 -d`",
            Self::Utf16 { gguf: false } | Self::Text { .. } => {
                "if this was a download, the server sent it instead of the file: check the address and the access token"
            }
            Self::Zeros { .. } => {
                "room was reserved for the file but never filled: the download did not finish, download it again"
            }
        };
        Some(text.into())
    }
}

fn json(kind: JsonKind, message: Option<&str>) -> String {
    match (kind, message) {
        (JsonKind::Error, Some(message)) => format!("this is a server's error as JSON: \"{message}\""),
        (JsonKind::Error, None) => "this is a server's error as JSON".into(),
        (JsonKind::SafetensorsIndex, _) => "this is the index of a safetensors model, not its weights".into(),
        (JsonKind::Config, _) => "this is a model's configuration as JSON, not its weights".into(),
        (JsonKind::Manifest, _) => "this is a manifest as JSON, such as Ollama keeps, not the weights".into(),
        (JsonKind::Other, _) => "this is a JSON text".into(),
    }
}

fn legacy(magic: LegacyMagic, version: Option<u32>) -> String {
    let what = if magic == LegacyMagic::Ggla { "LoRA adapter" } else { "model" };
    let name = magic.name();
    match version {
        Some(version) => {
            format!("this is a legacy {name} {what} (version {version}), a format from before GGUF")
        }
        None => format!("this is a legacy {name} {what}, a format from before GGUF"),
    }
}

/// Adds where a member of an archive begins that is a GGUF.
fn member(text: &mut String, gguf_at: Option<usize>) {
    if let Some(at) = gguf_at {
        // Writing to a String does not fail.
        let _ = write!(text, " that holds a GGUF magic at offset {at}");
    }
}

fn after(offset: usize, what: Leading) -> String {
    let cut = format!("read it in place with `--offset {offset}`, or cut the first {offset} bytes off");
    match what {
        Leading::Utf8Bom => {
            format!(
                "an editor or a copy in text mode did this and may have changed more: copy the file again as binary; {cut}"
            )
        }
        Leading::HttpHeaders => format!("it was saved with its headers (`curl -i` does so): {cut}"),
        _ => cut,
    }
}
