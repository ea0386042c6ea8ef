//! `gguf rename`: a key or a tensor gets another name.

use std::ffi::OsString;
use std::io;

use ggufkit::edit::Operation;

use super::edit::{EditArgs, Job, files_and};
use crate::out::Out;
use crate::{FAILED, frame};

/// Give a metadata key, or with --tensor a tensor, another name
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf rename model.gguf general.author general.organization\n  \
    gguf rename model.gguf --tensor model.embed_tokens.weight token_embd.weight\n  gguf rename *.gguf general.autor general.author\n\n\
    Exit status: 0 done, 1 refused (no such name, or taken), 2 a file could not be read or written, or usage.")]
pub(crate) struct Args {
    /// The files, then the name that it has and the one that it gets
    #[arg(value_name = "FILE|FROM|TO", required = true)]
    words: Vec<OsString>,
    /// It is a tensor
    #[arg(long, short)]
    tensor: bool,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let (files, [from, to]) = match files_and(self.words, "FILE FROM TO") {
            Ok(found) => found,
            Err(failure) => {
                frame::refuse(out, "rename", self.how.json(), &failure)?;
                return Ok(FAILED);
            }
        };
        let (from, to) = (from.into_encoded_bytes(), to.into_encoded_bytes());
        let operation = match self.tensor {
            true => Operation::RenameTensor { from, to },
            false => Operation::Rename { from, to },
        };
        Job::new("rename", &files, &[operation], &self.how).run(out)
    }
}
