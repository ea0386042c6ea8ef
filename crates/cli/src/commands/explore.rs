//! `gguf explore`: a model in the terminal, with keys.

use std::io;

use ggufkit::check::Subject;
use ggufkit_explore::{Settings, explore, reading};

use super::check::files_of;
use super::explain::lang::{LangArg, choose};
use super::waiting::Waiting;
use crate::args::{InputArgs, ReadArgs};
use crate::frame;
use crate::out::{self, Ink, Out};
use crate::{FAILED, OK};

/// Look at a file in the terminal: tag, tensors, bytes, findings, with keys and the mouse
///
/// The tree of the metadata, the tensors, every byte with the field or the block that it belongs to, and what `gguf check` says,
/// each one key away from the others. `?` lists the keys: arrows or h j k l, Enter for the bytes of what is selected, / to look
/// for a text, : to go to a position, a key or a tensor, v for all that is told of what is selected, y to copy it (the terminal's
/// clipboard, also over ssh), q to leave. Nothing is written. A terminal of 80 columns and 24 rows is enough, and no colours are
/// needed.
#[derive(clap::Args, Debug)]
#[command(after_help = "Exit status: 0 it was left, 2 nothing could be shown.

Examples:
  gguf explore model.gguf
  gguf explore model-00001-of-00009.gguf          the whole split model
  gguf explore --lang zh --color never model.gguf")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    /// Language of the words (default: that of the environment)
    #[arg(long, value_enum, value_name = "LANG")]
    lang: Option<LangArg>,
    #[command(flatten)]
    read: ReadArgs,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        if !out.is_terminal() {
            let text =
                "standard output is no terminal: `gguf show` sums a file up, `gguf hex` prints its bytes";
            out.message(Ink::Bad, "error", text)?;
            return Ok(FAILED);
        }
        let settings = Settings { lang: choose(self.lang), colour: out.color() };
        let (mut shown, mut failed) = (false, false);
        let mut waiting = Waiting::begin(reading(settings.lang));
        let good = frame::each(out, &self.inputs, &self.read, false, |out, document| {
            waiting.end();
            if shown {
                let text = format!("{}: one model is shown at a time", document.label);
                return out.message(Ink::Faint, "note", &text);
            }
            let files = files_of(document);
            if files.is_empty() {
                return Ok(());
            }
            let subject = Subject { files: &files, set: document.set, problems: document.problems };
            shown = true;
            let changed = || document.changed().map(|failed| out::path(&failed.path).to_string());
            if let Err(error) = explore(&subject, settings, &changed) {
                failed = true;
                return out.message(Ink::Bad, "error", &format!("the terminal: {error}"));
            }
            Ok(())
        });
        waiting.end();
        let good = good?;
        Ok(if good && shown && !failed { OK } else { FAILED })
    }
}
