//! The subcommands, one file each: the arguments as typed, what they mean, and how the answer is shown.

mod add;
mod apply;
mod check;
mod compare;
mod completions;
mod config;
mod data;
mod diff;
mod dump;
mod edit;
mod endian;
mod explain;
#[cfg(feature = "explore")]
mod explore;
mod extract;
mod get;
mod hash;
mod hex;
mod man;
mod mend;
mod merge;
mod r#move;
mod name;
mod new;
mod progress;
mod quantize;
mod recipe;
mod recover;
mod rename;
mod repair;
#[cfg(feature = "view")]
mod report;
mod rule;
mod set;
mod shards;
mod show;
mod split;
mod stats;
mod template;
mod tensors;
mod undo;
mod unset;
mod upgrade;
mod verify;
#[cfg(feature = "view")]
mod view;
#[cfg(feature = "explore")]
mod waiting;

use std::io;

use crate::out::Out;
pub(crate) use template::{WORD as RENDER, serve as serve_render};

/// What to do.
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Command {
    Show(show::Args),
    #[cfg(feature = "view")]
    View(view::Args),
    #[cfg(feature = "explore")]
    Explore(explore::Args),
    #[cfg(feature = "view")]
    Report(report::Args),
    Dump(dump::Args),
    Get(get::Args),
    Tensors(tensors::Args),
    Config(config::Args),
    Hex(hex::Args),
    Extract(extract::Args),
    Stats(stats::Args),
    Compare(compare::Args),
    Hash(hash::Args),
    Verify(verify::Args),
    Check(check::Args),
    Diff(diff::Args),
    Template(template::Args),
    Repair(repair::Args),
    Set(set::Args),
    Unset(unset::Args),
    Rename(rename::Args),
    Move(r#move::Args),
    Apply(apply::Args),
    New(new::Args),
    Add(add::Args),
    Endian(endian::Args),
    Upgrade(upgrade::Args),
    Undo(undo::Args),
    Recover(recover::Args),
    Split(split::Args),
    Merge(merge::Args),
    Quantize(quantize::Args),
    Recipe(recipe::Args),
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
            #[cfg(feature = "view")]
            Self::View(args) => args.run(out),
            #[cfg(feature = "explore")]
            Self::Explore(args) => args.run(out),
            #[cfg(feature = "view")]
            Self::Report(args) => args.run(out),
            Self::Dump(args) => args.run(out),
            Self::Get(args) => args.run(out),
            Self::Tensors(args) => args.run(out),
            Self::Config(args) => args.run(out),
            Self::Hex(args) => args.run(out),
            Self::Extract(args) => args.run(out),
            Self::Stats(args) => args.run(out),
            Self::Compare(args) => args.run(out),
            Self::Hash(args) => args.run(out),
            Self::Verify(args) => args.run(out),
            Self::Check(args) => args.run(out),
            Self::Diff(args) => args.run(out),
            Self::Template(args) => args.run(out),
            Self::Repair(args) => args.run(out),
            Self::Set(args) => args.run(out),
            Self::Unset(args) => args.run(out),
            Self::Rename(args) => args.run(out),
            Self::Move(args) => args.run(out),
            Self::Apply(args) => args.run(out),
            Self::New(args) => args.run(out),
            Self::Add(args) => args.run(out),
            Self::Endian(args) => args.run(out),
            Self::Upgrade(args) => args.run(out),
            Self::Undo(args) => args.run(out),
            Self::Recover(args) => args.run(out),
            Self::Split(args) => args.run(out),
            Self::Merge(args) => args.run(out),
            Self::Quantize(args) => args.run(out),
            Self::Recipe(args) => args.run(out),
            Self::Rule(args) => args.run(out),
            Self::Name(args) => args.run(out),
            Self::Explain(args) => args.run(out),
            Self::Completions(args) => args.run(out),
            Self::Man(args) => args.run(out),
        }
    }
}
