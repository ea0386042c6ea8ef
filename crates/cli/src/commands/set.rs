//! `gguf set`: keys get values.

use std::ffi::OsString;
use std::io;

use super::edit::{EditArgs, Job, assignment, is_assignment};
use crate::failure::Failure;
use crate::out::{self, Out};
use crate::{FAILED, frame};

/// Give metadata keys values, in place where that can be: a number costs one write, a longer text moves no weights
///
/// The type of a value is that of the value there is, or the one that loaders want for the key; `key:u32=7` says another.
/// Arrays are written as JSON (`key=[1, 2]`), one element as `key[3]=value`, the last one as `key[-1]=value`, one more as
/// `key[+]=value`; numbers are those that the elements have before. What belongs to a token is named by it
/// (`tokenizer.ggml.token_type[<s>]=CONTROL`). Numbers that have names may be given by them (`general.file_type=Q4_K_M`,
/// `tokenizer.ggml.eos_token_id=</s>`). `key=@file` is what a file holds, `key=@-` what comes through a pipe.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf set model.gguf general.name='My model'\n  \
    gguf set model.gguf tokenizer.chat_template=@template.jinja --dry-run\n  \
    gguf set *.gguf general.license=mit general.url=https://example.org\n  \
    gguf set model.gguf 'my.list:array[u32]=[1, 300, 70000]' -o changed.gguf\n  \
    gguf set model.gguf 'tokenizer.ggml.token_type[3]=4' 'general.tags[+]=chat'\n\n\
    What `gguf check` would find in the changed file and does not find now is said before; errors stop it.\n\
    A change in place is kept beside the file, in `.NAME.ggufkit-undo`, until the next one: `gguf undo` takes it back.\n\
    A new file in the place of the old one cannot be undone; it is said before, with --dry-run too.\n\n\
    Exit status: 0 done or nothing to do, 1 refused, 2 a file could not be read or written, or usage.")]
pub(crate) struct Args {
    /// The files (of a folder, every model in it), and what to set: key=value, key:type=value, key[element]=value, key=@file
    #[arg(value_name = "FILE|KEY=VALUE", required = true)]
    words: Vec<OsString>,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // The first word is a file, whatever its name is.
        let (mut files, mut operations) = (Vec::new(), Vec::new());
        for word in self.words {
            if files.is_empty() || !is_assignment(&word) {
                files.push(word);
                continue;
            }
            match assignment(&word) {
                Ok(operation) => operations.push(operation),
                Err(failure) => {
                    frame::refuse(out, "set", self.how.json(), &failure)?;
                    return Ok(FAILED);
                }
            }
        }
        if operations.is_empty() && !self.how.reserves() {
            let failure = Failure::usage(
                "no-assignment",
                match files.as_slice() {
                    [one] if is_assignment(one) => {
                        "the first word is the file: write FILE key=value".to_owned()
                    }
                    [_, .., last] => {
                        format!("{} is no assignment: write FILE key=value", out::path(last.as_ref()))
                    }
                    _ => "nothing to set: write FILE key=value".to_owned(),
                },
            );
            frame::refuse(out, "set", self.how.json(), &failure)?;
            return Ok(FAILED);
        }
        Job { together: true, ..Job::new("set", &files, &operations, &self.how) }.run(out)
    }
}
