//! What is made of the tensors that were chosen: a file of each in a folder, one file of all, bytes on standard output.

use std::ffi::OsStr;
use std::path::Path;

use ggufkit::values::Float;
use ggufkit::values::export::Form;

/// What a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A tensor's bytes.
    Raw,
    /// An array of NumPy, or several.
    Npy,
    Npz,
    Safetensors,
    /// A model of these tensors.
    Gguf,
}

impl Kind {
    /// What the ending of a file's name says.
    fn of_ending(ending: &OsStr) -> Option<Self> {
        let known = [
            ("bin", Self::Raw),
            ("raw", Self::Raw),
            ("npy", Self::Npy),
            ("npz", Self::Npz),
            ("safetensors", Self::Safetensors),
            ("gguf", Self::Gguf),
        ];
        known.iter().find(|(known, _)| ending.eq_ignore_ascii_case(known)).map(|(_, kind)| *kind)
    }

    /// What a file of this name is to be; `None` for a folder.
    pub(super) fn of_file(output: &Path) -> Option<Self> {
        output.extension().filter(|_| !is_folder(output)).and_then(Self::of_ending)
    }

    /// The ending of a name that would be that of a file, and of no form that is known; `None` for a folder, which is there, or
    /// whose name says so.
    pub(super) fn unknown_ending(output: &Path) -> Option<&OsStr> {
        let words = |ending: &&OsStr| ending.as_encoded_bytes().iter().any(u8::is_ascii_alphabetic);
        let ending = output.extension().filter(words)?;
        (!is_folder(output) && Self::of_ending(ending).is_none()).then_some(ending)
    }

    /// Whether a file holds one tensor.
    pub(super) const fn is_of_one(self) -> bool {
        matches!(self, Self::Raw | Self::Npy)
    }

    /// The ending of files that are named after their tensors.
    pub(super) const fn ending(self) -> &'static str {
        match self {
            Self::Npy => "npy",
            _ => "bin",
        }
    }

    /// The form that the values of tensors are put into; `None` for a model, which holds them as they are.
    pub(super) const fn form(self) -> Option<Form> {
        match self {
            Self::Raw => Some(Form::Raw),
            Self::Npy => Some(Form::Npy),
            Self::Npz => Some(Form::Npz),
            Self::Safetensors => Some(Form::Safetensors),
            Self::Gguf => None,
        }
    }

    /// What helps where it has no type for a tensor.
    pub(super) const fn advice(self) -> &'static str {
        match self {
            Self::Safetensors => "--dtype f32, f16 or bf16 decodes it",
            _ => "--dtype f32 or f16 does so",
        }
    }
}

/// Whether a path is that of a folder: one that is there, or one that is written so.
fn is_folder(output: &Path) -> bool {
    let last = output.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|byte| matches!(byte, b'/' | b'\\')) || output.is_dir()
}

/// Floats that tensors are decoded to, as they are typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum Dtype {
    /// 32 bits
    F32,
    /// 16 bits, half precision
    F16,
    /// 16 bits, the upper half of f32
    Bf16,
}

impl Dtype {
    pub(super) const fn float(self) -> Float {
        match self {
            Self::F32 => Float::F32,
            Self::F16 => Float::F16,
            Self::Bf16 => Float::BF16,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_it_is_or_that_it_says_nothing() {
        let of = |name: &str| Kind::of_file(Path::new(name));
        assert_eq!(of("x.SafeTensors"), Some(Kind::Safetensors));
        assert_eq!((of("x.npz/"), of("layer0"), of("x.pt")), (None, None, None));
        let unknown = |name: &str| Kind::unknown_ending(Path::new(name)).is_some();
        for name in ["layer0.pt", "a/b.pth", "x.gguf.gz", "x.npy2"] {
            assert!(unknown(name), "{name}");
        }
        // Endings of numbers are versions and layers; a bar at the end makes a folder of any name.
        for name in ["layer0", "blk.0", "v1.5", "layer0.pt/", "x.npy", "-", ".", "..", ".hidden"] {
            assert!(!unknown(name), "{name}");
        }
    }
}
