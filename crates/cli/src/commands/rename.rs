//! `gguf rename`: a key or a tensor gets another name.

use std::ffi::OsString;
use std::io;

use ggufkit::edit::Operation;

use super::edit::{EditArgs, Job};
use crate::out::Out;

/// Give a metadata key, or with --tensor a tensor, another name
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf rename model.gguf general.author general.organization\n  \
    gguf rename model.gguf --tensor model.embed_tokens.weight token_embd.weight\n\n\
    Exit status: 0 done, 1 refused (no such name, or taken), 2 a file could not be read or written, or usage.")]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "FILE")]
    file: OsString,
    /// The name that it has
    #[arg(value_name = "FROM")]
    from: OsString,
    /// The name that it gets
    #[arg(value_name = "TO")]
    to: OsString,
    /// It is a tensor
    #[arg(long, short)]
    tensor: bool,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let (from, to) = (self.from.into_encoded_bytes(), self.to.into_encoded_bytes());
        let operation = match self.tensor {
            true => Operation::RenameTensor { from, to },
            false => Operation::Rename { from, to },
        };
        Job { command: "rename", files: &[self.file], operations: &[operation], how: &self.how }.run(out)
    }
}
