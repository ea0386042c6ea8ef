//! `gguf move`: a key stands elsewhere in the metadata.

use std::ffi::OsString;
use std::io;

use ggufkit::edit::Operation;

use super::edit::{EditArgs, Job};
use crate::out::Out;

/// Move a metadata key, or with --tensor a tensor and its data, before another one or behind all
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf move model.gguf general.architecture --before general.name\n  \
    gguf move model.gguf tokenizer.chat_template\n\n\
    Exit status: 0 done, 1 refused (no such key), 2 a file could not be read or written, or usage.")]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: OsString,
    /// The key, or the tensor
    #[arg(value_name = "NAME")]
    name: OsString,
    /// The one before which it is to stand; without it, it stands behind all
    #[arg(long, value_name = "NAME")]
    before: Option<OsString>,
    /// It is a tensor
    #[arg(long, short)]
    tensor: bool,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let name = self.name.into_encoded_bytes();
        let before = self.before.map(OsString::into_encoded_bytes);
        let operation = match self.tensor {
            true => Operation::MoveTensor { name, before },
            false => Operation::Move { key: name, before },
        };
        Job { command: "move", files: &[self.file], operations: &[operation], how: &self.how }.run(out)
    }
}
