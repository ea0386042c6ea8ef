//! `gguf repair`: what can be put right without inventing anything, into a new file.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit::edit::repair::{Duplicates, Policy};

use super::mend::Job;
use crate::args::ReadArgs;
use crate::out::Out;

/// Which of several values of a key stays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
enum Again {
    /// The file is refused when the values differ
    #[default]
    Refuse,
    /// The first value stays
    KeepFirst,
    /// The last value stays
    KeepLast,
}

/// Put right what is broken, into a new file: layout, padding, order, repeated keys, types, stray bytes
///
/// Nothing is invented: values, names and weights are kept, and what would need a guess is refused, all of it at once.
/// The plan is printed first. The file itself is never written to, and the new one appears only when it is whole.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf repair model.gguf --dry-run\n  gguf repair model.gguf -o fixed.gguf\n  \
    gguf repair twice.gguf -o fixed.gguf --duplicates keep-last\n  gguf repair joined.gguf --separate -o parts\n\n\
    Exit status: 0 repaired, or nothing to repair (no file is written then), 1 it would need a guess, 2 a file could not \
    be read or written, or usage."
)]
pub(crate) struct Args {
    /// The file; of a shard set, one shard
    #[arg(value_name = "FILE")]
    file: OsString,
    /// The file to write; with --separate a folder
    #[arg(long, short, value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Say what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// What becomes of keys that occur again; one with the same value always goes
    #[arg(long, value_enum, default_value = "refuse", value_name = "POLICY")]
    duplicates: Again,
    /// Cut off bytes that follow the data and belong to nothing
    #[arg(long)]
    cut_trailing: bool,
    /// Leave out bytes between tensors that belong to none, though they are not zero
    #[arg(long)]
    drop_gaps: bool,
    /// Cut a file apart that was joined from several, and do nothing else
    #[arg(long, conflicts_with_all = ["duplicates", "cut_trailing", "drop_gaps"])]
    separate: bool,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    read: ReadArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let mut policy = Policy::default();
        policy.cut_trailing = self.cut_trailing;
        policy.drop_gaps = self.drop_gaps;
        policy.separate = self.separate;
        policy.duplicates = match self.duplicates {
            Again::Refuse => Duplicates::Refuse,
            Again::KeepFirst => Duplicates::KeepFirst,
            Again::KeepLast => Duplicates::KeepLast,
        };
        let output = self.output.as_deref().filter(|_| !self.dry_run);
        let job = Job {
            command: "repair",
            file: Path::new(&self.file),
            output,
            folder: self.separate,
            force: self.force,
            json: self.json,
            read: self.read.options(),
        };
        job.run(out, &policy)
    }
}
