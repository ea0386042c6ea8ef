//! `gguf move`: a key stands elsewhere in the metadata.

use std::ffi::OsString;
use std::io;

use ggufkit::edit::Operation;

use super::edit::{EditArgs, Job};
use crate::out::Out;

/// Move a metadata key before another one, or behind all
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf move model.gguf general.architecture --before general.name\n  \
    gguf move model.gguf tokenizer.chat_template\n\n\
    Exit status: 0 done, 1 refused (no such key), 2 a file could not be read or written, or usage."
)]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: OsString,
    /// The key
    #[arg(value_name = "KEY")]
    key: OsString,
    /// The key before which it is to stand; without it, it stands behind all
    #[arg(long, value_name = "KEY")]
    before: Option<OsString>,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let key = self.key.into_encoded_bytes();
        let before = self.before.map(OsString::into_encoded_bytes);
        let operation = Operation::Move { key, before };
        Job { command: "move", files: &[self.file], operations: &[operation], how: &self.how }.run(out)
    }
}
