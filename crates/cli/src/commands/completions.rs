//! `gguf completions`: completion scripts for shells.

use std::io::{self, Write as _};

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::out::Out;
use crate::{Cli, OK};

/// Print a completion script for a shell
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  gguf completions bash > /etc/bash_completion.d/gguf\n  gguf completions zsh > \"${fpath[1]}/_gguf\""
)]
pub(crate) struct Args {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "gguf", &mut script);
        out.write_all(&script)?;
        Ok(OK)
    }
}
