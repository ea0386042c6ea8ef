//! `gguf endian`: files in the other byte order.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use ggufkit::format::Endian;

use super::edit::{EditArgs, Job};
use crate::out::Out;

/// A byte order by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum To {
    /// The least significant byte first: what nearly all machines read
    Little,
    /// The most significant byte first: s390x and the like
    Big,
    /// What this machine reads
    Native,
}

/// Write files in the other byte order: head and data, with every number inside of blocks
///
/// Types whose blocks have no rule are refused before anything is written. The files of a set are turned together: all of
/// them have to be of one byte order.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf endian big model.gguf -o model-be.gguf\n  gguf endian little *.gguf\n  \
    gguf endian native model-00001-of-00003.gguf -o native/\n\n\
    Without -o each file is replaced by the new one when that is whole; there is no undo.\n\n\
    Exit status: 0 done or nothing to do, 1 refused, 2 a file could not be read or written, or usage."
)]
pub(crate) struct Args {
    /// The byte order
    #[arg(value_enum, value_name = "ORDER")]
    to: To,
    /// The files
    #[arg(value_name = "FILE", required = true)]
    files: Vec<OsString>,
    /// Write the new file here, and leave the input as it is; several files, or those of a set, into a folder (`-o OUT/`)
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Say what would be done and what stands in the way, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Replace OUT where it exists
    #[arg(long, requires = "output")]
    force: bool,
    /// Replace the file that a symbolic link leads to
    #[arg(long)]
    follow: bool,
    /// Take each shard as a file of its own
    #[arg(long)]
    alone: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let to = match self.to {
            To::Little => Endian::Little,
            To::Big => Endian::Big,
            To::Native if cfg!(target_endian = "big") => Endian::Big,
            To::Native => Endian::Little,
        };
        let how = EditArgs::of_copy(self.output, self.force, self.follow, self.alone);
        let how = how.saying(self.dry_run, self.json);
        Job { endian: Some(to), ..Job::new("endian", &self.files, &[], &how) }.run(out)
    }
}
