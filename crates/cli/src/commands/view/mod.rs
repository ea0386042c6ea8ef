//! `gguf view`: the page in a browser, answered by this process.

mod browser;
mod open;

use std::io::{self, IsTerminal as _, Read as _, Write as _};

use ggufkit::format::spec::Lang;
use ggufkit_viewer::server::{Server, Stop};

use crate::args::{InputArgs, ReadArgs};
use crate::out::{Ink, Out};
use crate::{FAILED, OK};
pub(super) use open::session;

/// Look at files in a browser: map, bytes, vocabulary, weights, findings, differences
///
/// Starts a web server that this machine alone can reach, prints the address of its page, and opens it. The address has a secret
/// in it, without which nothing is answered; it changes with every start. Nothing is written, and nothing is asked of any other
/// machine. The server ends with Ctrl-C, with its terminal, and with the program that started it.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Exit status: 0 it was ended, 2 a file could not be read, or the server could not start.

Examples:
  gguf view model.gguf
  gguf view old.gguf new.gguf                     two models, and what differs
  gguf view model-00001-of-00009.gguf             the whole split model
  gguf view --no-open model.gguf                  only print the address
  ssh -L 8080:127.0.0.1:8080 host gguf view --no-open --port 8080 model.gguf"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Listen on this port of 127.0.0.1 [default: any that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Only print the address
    #[arg(long)]
    no_open: bool,
    /// The page's language [default: the browser's]
    #[arg(long, value_enum, value_name = "LANG")]
    lang: Option<PageLang>,
}

/// A language of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum PageLang {
    /// English
    En,
    /// Chinese
    Zh,
}

impl PageLang {
    pub(crate) const fn lang(self) -> Lang {
        match self {
            Self::En => Lang::En,
            Self::Zh => Lang::Zh,
        }
    }
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let (session, good) = session(out, &self.inputs, &self.read)?;
        let Some(mut session) = session else { return Ok(FAILED) };
        if let Some(lang) = self.lang {
            session = session.with_lang(lang.lang());
        }
        let server = match Server::bind(session, self.port) {
            Ok(server) => server,
            Err(error) => {
                out.message(Ink::Bad, "error", &format!("127.0.0.1:{}: {error}", self.port))?;
                return Ok(FAILED);
            }
        };
        let url = server.url();
        writeln!(out, "{url}")?;
        out.flush()?;
        if !self.no_open
            && let Err(why) = browser::open(&url)
        {
            out.message(Ink::Faint, "note", &format!("no browser was opened: {why}"))?;
        }
        out.message(Ink::Faint, "note", "the page is answered until Ctrl-C")?;
        let stop = Stop::new().with_system();
        with_terminal(&stop);
        match server.run(stop) {
            Ok(()) => Ok(if good { OK } else { FAILED }),
            Err(error) => {
                out.message(Ink::Bad, "error", &format!("the server ended: {error}"))?;
                Ok(FAILED)
            }
        }
    }
}

/// Ends the server when the terminal that it was started from is gone, or sends the end of input (Ctrl-D).
fn with_terminal(stop: &Stop) {
    if !io::stdin().is_terminal() {
        return;
    }
    let stop = stop.clone();
    // It ends with the process at the latest. What is typed is of no use to anybody.
    let _ = std::thread::Builder::new().spawn(move || {
        let mut byte = [0; 64];
        let mut stdin = io::stdin().lock();
        loop {
            match stdin.read(&mut byte) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        stop.tell();
    });
}
