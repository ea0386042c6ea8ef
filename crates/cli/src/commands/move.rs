//! `gguf move`: a key stands elsewhere in the metadata.

use std::ffi::OsString;
use std::io;

use ggufkit::edit::Operation;

use super::edit::{EditArgs, Job, files_and};
use crate::out::Out;
use crate::{FAILED, frame};

/// Move a metadata key, or with --tensor a tensor and its data, before another one or behind all
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf move model.gguf general.architecture --before general.name\n  \
    gguf move model.gguf tokenizer.chat_template\n\n\
    Exit status: 0 done, 1 refused (no such key), 2 a file could not be read or written, or usage.")]
pub(crate) struct Args {
    /// The files, then the key or the tensor
    #[arg(value_name = "FILE|NAME", required = true)]
    words: Vec<OsString>,
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
        let (files, [name]) = match files_and(self.words, "FILE NAME") {
            Ok(found) => found,
            Err(failure) => {
                frame::refuse(out, "move", self.how.json(), &failure)?;
                return Ok(FAILED);
            }
        };
        let name = name.into_encoded_bytes();
        let before = self.before.map(OsString::into_encoded_bytes);
        let operation = match self.tensor {
            true => Operation::MoveTensor { name, before },
            false => Operation::Move { key: name, before },
        };
        Job::new("move", &files, &[operation], &self.how).run(out)
    }
}
