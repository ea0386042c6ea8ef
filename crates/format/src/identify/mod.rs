//! Not a GGUF? What a file is instead, told from its first bytes.
//!
//! Half of all "invalid magic" reports are not about GGUF files at all: a Git LFS pointer, the web page of a gated model,
//! a safetensors file under another name, a download that was never filled, a model from before GGUF. [`identify`] names
//! what it sees, [`Identity::describe`] says it in a sentence and [`Identity::help`] says what to do.
//!
//! Only the first bytes are looked at, nothing is decoded, and whatever is quoted from a file is printable ASCII.
//! It is a help for people: the parser alone decides whether a GGUF can be read.

use alloc::string::String;
use alloc::vec::Vec;

mod detect;
mod magic;
mod markup;
mod pointer;
mod say;
#[cfg(test)]
mod tests;

pub use detect::identify;
pub use magic::find_magic;

/// What a file is, as far as its first bytes tell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Identity {
    /// The file begins with GGUF's magic. Whether the rest can be read is for the parser to say.
    Gguf,
    /// The file has no bytes.
    Empty,
    /// The file is shorter than the four bytes of a magic.
    TooShort {
        /// The file's length in bytes, 1 to 3.
        len: u64,
    },
    /// A Git LFS pointer: a text of some 130 bytes that stands for the file.
    GitLfsPointer {
        /// The SHA-256 of the file that it stands for: 64 lower-case hexadecimal digits.
        oid: Option<String>,
        /// The length of that file in bytes.
        size: Option<u64>,
    },
    /// A git-annex pointer: the place of the file in the annex.
    GitAnnexPointer,
    /// A web page.
    Html {
        /// The page's title, cut to what can be shown.
        title: Option<String>,
    },
    /// An XML text, mostly an object store's refusal.
    Xml {
        /// The text of its `Code` element, such as `AccessDenied`.
        code: Option<String>,
    },
    /// A JSON text.
    Json {
        /// What it is about.
        kind: JsonKind,
        /// The message of an error.
        message: Option<String>,
    },
    /// An HTTP response with its headers, without a GGUF in the bytes seen.
    HttpResponse {
        /// The status code, such as 404.
        status: Option<u16>,
    },
    /// A safetensors file.
    Safetensors {
        /// The length of its JSON header in bytes, which begins at byte 8.
        header_len: u64,
    },
    /// A model or adapter in one of the formats before GGUF.
    LegacyGgml {
        /// Which of the formats.
        magic: LegacyMagic,
        /// The version that follows the magic. `GGML` has none.
        version: Option<u32>,
    },
    /// A saved state of llama.cpp: a session or a sequence of tokens with its cache.
    LlamaState {
        /// The version that follows the magic.
        version: Option<u32>,
    },
    /// An importance matrix from before such were stored as GGUF (`imatrix.dat`).
    LegacyImatrix {
        /// How many tensors it has entries for.
        entries: u32,
    },
    /// A zip archive.
    Zip {
        /// What the archive is used for.
        kind: ZipKind,
        /// Where a GGUF magic stands in the bytes seen: a member that is stored without compression.
        gguf_at: Option<usize>,
    },
    /// A tar archive.
    Tar {
        /// Where a GGUF magic stands in the bytes seen.
        gguf_at: Option<usize>,
    },
    /// A Python pickle.
    Pickle {
        /// The pickle protocol, 2 to 5.
        protocol: u8,
        /// Whether it carries the mark of PyTorch's format before version 1.6.
        pytorch: bool,
    },
    /// An ONNX model.
    Onnx,
    /// A TensorFlow Lite model.
    TfLite,
    /// A NumPy array.
    Npy,
    /// An HDF5 file, such as Keras wrote.
    Hdf5,
    /// A Parquet file.
    Parquet,
    /// An SQLite database.
    Sqlite,
    /// A compressed file.
    Compressed {
        /// The program that compressed it.
        by: Compression,
    },
    /// A program or library; a llamafile is one.
    Executable {
        /// Its format: `ELF`, `Mach-O`, `PE` or `APE`.
        format: &'static str,
    },
    /// A PDF document.
    Pdf,
    /// A picture.
    Image {
        /// Its format, such as `PNG`.
        format: &'static str,
    },
    /// A GGUF with something in front of it.
    GgufAfter {
        /// Where the magic stands, in bytes from the start of the file.
        offset: usize,
        /// What stands in front.
        what: Leading,
    },
    /// GGUF's magic with its bytes in reverse order: the file's bytes were swapped on the way.
    ByteSwappedMagic {
        /// How many bytes were taken together: 2 (`GGFU`) or 4 (`FUGG`).
        unit: u8,
    },
    /// A text in UTF-16.
    Utf16 {
        /// Whether it begins with GGUF's magic: a GGUF that went through a program that took it for text.
        gguf: bool,
    },
    /// A GGUF as base64 text.
    Base64Gguf,
    /// A text of another kind.
    Text {
        /// Its first line, cut to what can be shown.
        first_line: String,
    },
    /// Nothing but zero bytes: room for a file that was never filled.
    Zeros {
        /// How many bytes were looked at.
        seen: usize,
    },
    /// None of the above.
    Unknown {
        /// The first bytes, at most 16.
        first_bytes: Vec<u8>,
    },
}

/// A format from before GGUF, named as in llama.cpp's sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LegacyMagic {
    /// `ggml`, without a version. Still the format of whisper.cpp's models.
    Ggml,
    /// `ggmf`, version 1.
    Ggmf,
    /// `ggjt`, versions 1 to 3.
    Ggjt,
    /// `ggla`, a LoRA adapter.
    Ggla,
    /// `ggcc`, Falcon models of ggllm.cpp.
    Ggcc,
}

impl LegacyMagic {
    /// The name in upper case, such as `GGJT`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ggml => "GGML",
            Self::Ggmf => "GGMF",
            Self::Ggjt => "GGJT",
            Self::Ggla => "GGLA",
            Self::Ggcc => "GGCC",
        }
    }
}

/// What a JSON text is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonKind {
    /// A server's refusal.
    Error,
    /// The index of a model in several safetensors files.
    SafetensorsIndex,
    /// A model's or tokenizer's configuration.
    Config,
    /// A manifest of an image registry, such as Ollama keeps.
    Manifest,
    /// Something else.
    Other,
}

/// What a zip archive is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ZipKind {
    /// A PyTorch checkpoint.
    PyTorch,
    /// NumPy arrays.
    Npz,
    /// A Keras model.
    Keras,
    /// Something else.
    Other,
}

/// A way of compressing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// gzip.
    Gzip,
    /// xz.
    Xz,
    /// Zstandard.
    Zstd,
    /// bzip2.
    Bzip2,
    /// LZ4 frame.
    Lz4,
    /// 7-Zip archive.
    SevenZip,
    /// RAR archive.
    Rar,
}

impl Compression {
    /// The usual name of the format.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstd => "Zstandard",
            Self::Bzip2 => "bzip2",
            Self::Lz4 => "LZ4",
            Self::SevenZip => "7-Zip",
            Self::Rar => "RAR",
        }
    }
}

/// What stands in front of a GGUF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Leading {
    /// A UTF-8 byte order mark.
    Utf8Bom,
    /// The headers of an HTTP response.
    HttpHeaders,
    /// The headers of a part of a form.
    FormHeaders,
    /// Zero bytes.
    Zeros,
    /// Some other text.
    Text,
    /// Some other bytes.
    Bytes,
}
