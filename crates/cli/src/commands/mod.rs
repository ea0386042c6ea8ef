//! The subcommands, one file each: the arguments as typed, what they mean, and how the answer is shown.

mod check;
mod completions;
mod config;
mod dump;
mod explain;
mod extract;
mod get;
mod hex;
mod man;
mod mend;
mod merge;
mod name;
mod progress;
mod repair;
mod rule;
mod shards;
mod show;
mod split;
mod template;
mod tensors;

use std::io;

use crate::out::Out;
pub(crate) use template::{WORD as RENDER, serve as serve_render};

/// What to do.
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Command {
    Show(show::Args),
    Dump(dump::Args),
    Get(get::Args),
    Tensors(tensors::Args),
    Config(config::Args),
    Hex(hex::Args),
    Extract(extract::Args),
    Check(check::Args),
    Template(template::Args),
    Repair(repair::Args),
    Split(split::Args),
    Merge(merge::Args),
    Rule(rule::Args),
    Name(name::Args),
    Explain(explain::Args),
    Completions(completions::Args),
    Man(man::Args),
}

impl Command {
    /// Does it; the value is the exit status.
    ///
    /// # Errors
    /// The output's, or one that ends the whole command.
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        match self {
            Self::Show(args) => args.run(out),
            Self::Dump(args) => args.run(out),
            Self::Get(args) => args.run(out),
            Self::Tensors(args) => args.run(out),
            Self::Config(args) => args.run(out),
            Self::Hex(args) => args.run(out),
            Self::Extract(args) => args.run(out),
            Self::Check(args) => args.run(out),
            Self::Template(args) => args.run(out),
            Self::Repair(args) => args.run(out),
            Self::Split(args) => args.run(out),
            Self::Merge(args) => args.run(out),
            Self::Rule(args) => args.run(out),
            Self::Name(args) => args.run(out),
            Self::Explain(args) => args.run(out),
            Self::Completions(args) => args.run(out),
            Self::Man(args) => args.run(out),
        }
    }
}
