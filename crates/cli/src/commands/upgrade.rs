//! `gguf upgrade`: versions 1 and 2 become 3.

use std::ffi::OsString;
use std::io;

use ggufkit::edit::Operation;

use super::edit::{EditArgs, Job};
use crate::out::Out;

/// Write files of version 1 or 2 as version 3, in place where that can be
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf upgrade old.gguf\n  gguf upgrade old.gguf -o new.gguf\n\n\
    Exit status: 0 done or nothing to do, 1 refused, 2 a file could not be read or written, or usage.")]
pub(crate) struct Args {
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,
    #[command(flatten)]
    how: EditArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let operations = [Operation::Upgrade];
        Job::new("upgrade", &self.files, &operations, &self.how).run(out)
    }
}
