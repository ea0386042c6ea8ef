//! `gguf man`: the manual page, made from the same text as `--help`.

use std::io::{self, Write as _};

use clap::CommandFactory as _;

use crate::out::Out;
use crate::{Cli, FAILED, OK};

/// Print the manual page (roff), of a command where one is named
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  gguf man | man -l -\n  gguf man show > gguf-show.1")]
pub(crate) struct Args {
    /// A subcommand
    command: Option<String>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let mut cli = Cli::command();
        cli.build();
        let page = match &self.command {
            None => cli,
            Some(name) => match cli.find_subcommand(name) {
                Some(command) => command.clone(),
                None => {
                    let name = crate::out::plain(name.as_bytes());
                    out.message(crate::out::Ink::Bad, "error", &format!("no command is called {name}"))?;
                    return Ok(FAILED);
                }
            },
        };
        let mut roff = Vec::new();
        clap_mangen::Man::new(page).render(&mut roff)?;
        out.write_all(&roff)?;
        Ok(OK)
    }
}
