//! What the format's numbers and names mean: ids, block geometry, file types, known keys, architectures.
//!
//! Everything here is a table known before any file is opened. Nothing here reads bytes, and no other module
//! is used; the reader, the checker, the dump and the web page all look their words up in these tables.
//!
//! Ids are newtypes over the raw integer, never enums: a file may hold any number, and an unknown one is data
//! to be shown, not an error.
//!
//! The explanatory texts exist in English and Chinese, see [`Text`].

pub mod arch;
mod file_type;
pub mod keys;
mod tensor_type;
mod value_type;

pub use file_type::{FILE_TYPES, FileType, FileTypeInfo};
pub use keys::{KEYS, KeyInfo, KeyType};
pub use tensor_type::{Part, PartRole, PartUnit, TENSOR_TYPES, TensorType, TensorTypeInfo, TypeStatus};
pub use value_type::ValueType;

/// A language that the explanatory texts are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Lang {
    /// English.
    #[default]
    En,
    /// Simplified Chinese.
    Zh,
}

/// One explanation in every language of [`Lang`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text {
    /// The English text.
    pub en: &'static str,
    /// The Chinese text.
    pub zh: &'static str,
}

impl Text {
    /// Makes a text from its two versions.
    pub const fn new(en: &'static str, zh: &'static str) -> Self {
        Text { en, zh }
    }

    /// The text in one language.
    pub const fn get(self, lang: Lang) -> &'static str {
        match lang {
            Lang::En => self.en,
            Lang::Zh => self.zh,
        }
    }
}
