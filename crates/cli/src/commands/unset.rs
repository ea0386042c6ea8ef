//! `gguf unset`: keys go.

use std::ffi::OsString;
use std::io;

use ggufkit::edit::Operation;

use super::edit::{EditArgs, Job, removal};
use crate::out::Out;

/// Take metadata keys out, single elements of their arrays, or with --tensor tensors and their data
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf unset model.gguf general.url\n  gguf unset model.gguf -k 'quantize.imatrix.*' -k general.url\n  \
    gguf unset model.gguf 'general.tags[1]'\n  gguf unset *.gguf -k general.url --if-present\n  gguf unset model.gguf --tensor rope_freqs.weight\n\n\
    Exit status: 0 done, 1 refused (no such key), 2 a file could not be read or written, or usage."
)]
pub(crate) struct Args {
    /// The file
    #[arg(value_name = "FILE", required = true)]
    file: OsString,
    /// Keys or tensors, or patterns of them (`general.*`); an element by its number (`general.tags[1]`)
    #[arg(value_name = "KEY", required_unless_present = "key")]
    keys: Vec<OsString>,
    /// A key; for more files than one, where what follows FILE are files
    #[arg(long = "key", short, value_name = "KEY")]
    key: Vec<OsString>,
    /// They are tensors
    #[arg(long, short)]
    tensor: bool,
    /// That a file has no such key or tensor is no mistake
    #[arg(long)]
    if_present: bool,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        // With -k all words are files.
        let (files, keys) = match self.key.is_empty() {
            true => (vec![self.file], self.keys),
            false => ([vec![self.file], self.keys].concat(), self.key),
        };
        let operation = |key: OsString| match self.tensor {
            true => Operation::DropTensor(key.into_encoded_bytes()),
            false => removal(&key),
        };
        let operations: Vec<_> = keys.into_iter().map(operation).collect();
        let if_present = self.if_present;
        Job { if_present, together: true, ..Job::new("unset", &files, &operations, &self.how) }.run(out)
    }
}
