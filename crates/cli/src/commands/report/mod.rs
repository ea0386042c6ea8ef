//! `gguf report`: the page about a model in one file, or its map as a picture.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ggufkit::io::sink::PartFile;
use ggufkit_viewer::answer::Session;
use ggufkit_viewer::{report, svg};

use super::progress::Bar;
use super::view::{PageLang, session};
use crate::args::{InputArgs, ReadArgs};
use crate::failure::Failure;
use crate::out::{self, Ink, Out};
use crate::taken::Taken;
use crate::{FAILED, OK};

/// Write a report about a model: one HTML file with the page of `gguf view` and its answers, or the map as SVG
///
/// The file needs nothing else, loads nothing, and can be handed on: it holds what the head says, findings, memory, the first
/// bytes, and the beginnings of long lists; folders of this machine are not in it, and no weights. What it leaves out it says.
#[derive(clap::Args, Debug)]
#[command(after_help = "Exit status: 0 done, 2 a file could not be read, or the report not written.

Examples:
  gguf report model.gguf -o model.html
  gguf report model.gguf -o model.html --stats    with statistics of every tensor: reads the weights
  gguf report old.gguf new.gguf -o both.html      two models, and what differs
  gguf report model.gguf --format svg -o map.svg
  gguf report model.gguf -o - | gzip > model.html.gz")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// The file to write; `-` for standard output
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Replace a file that exists
    #[arg(long)]
    force: bool,
    /// What to write
    #[arg(long, value_enum, default_value = "html", value_name = "FORMAT")]
    format: Format,
    /// Add statistics of every tensor: reads the weights
    #[arg(long)]
    stats: bool,
    /// The language it begins in [default: the reader's; of the picture English]
    #[arg(long, value_enum, value_name = "LANG")]
    lang: Option<PageLang>,
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// The page, with its answers
    Html,
    /// The map of the first model
    Svg,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        if self.stats && self.format == Format::Svg {
            let why = "a picture of the map holds no statistics: leave out --stats, or write HTML";
            return refuse(out, &Failure::usage("stats-of-picture", why));
        }
        let to_stdout = self.output.as_os_str() == "-";
        let refused = match to_stdout {
            true => out.is_terminal().then(|| {
                Failure::usage(
                    "standard-output",
                    "a report is no text for a terminal: name a file, or lead it into one",
                )
            }),
            // Before anything is read.
            false => self.allowed().err(),
        };
        if let Some(failure) = refused {
            return refuse(out, &failure);
        }
        let (session, good) = session(out, &self.inputs, &self.read)?;
        let Some(mut session) = session else { return Ok(FAILED) };
        // What could not be read was told, and is no part of the report.
        let status = if good { OK } else { FAILED };
        if let Some(lang) = self.lang {
            session = session.with_lang(lang.lang());
        }
        // Of a picture the first model alone.
        let models = if self.format == Format::Svg { 1 } else { session.models() };
        for gap in (0..models).flat_map(|model| session.gaps(model)).filter(|gap| !gap.is_error) {
            out.message(Ink::Warn, "note", &format!("not all is here: {}", gap.said.en))?;
        }
        let bytes = match self.made(&session) {
            Ok(bytes) => bytes,
            Err(why) => return refuse(out, &Failure::usage("no-report", why)),
        };
        if to_stdout {
            out.write_all(&bytes)?;
            return Ok(status);
        }
        if let Err(failure) = self.save(&bytes) {
            let failure = match failure {
                Failure::Io(error) => Failure::usage("io", format!("{}: {error}", out::path(&self.output))),
                other => other,
            };
            return refuse(out, &failure);
        }
        let size = ggufkit::inspect::units::bytes(bytes.len() as u64);
        out.message(Ink::Faint, "note", &format!("{} written: {size}", out::path(&self.output)))?;
        Ok(status)
    }

    fn made(&self, session: &Session) -> Result<Vec<u8>, String> {
        if self.format == Format::Svg {
            let lang = self.lang.map(PageLang::lang).unwrap_or_default();
            return svg::svg(session, lang).map(String::into_bytes).map_err(|refusal| refusal.to_string());
        }
        let bar = self.stats.then(|| Bar::begin("weights", session.data_bytes()));
        let measured = |bytes| {
            if let Some(bar) = &bar {
                bar.more(bytes);
            }
        };
        let options = report::Options { stats: self.stats, measured: Some(&measured) };
        let made = report::html(session, &options).map_err(|refusal| refusal.to_string());
        if let Some(bar) = bar {
            bar.end();
        }
        made
    }

    fn save(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.allowed()?;
        let mut part = PartFile::create(&self.output).map_err(Failure::Io)?;
        part.write_all(bytes).map_err(Failure::Io)?;
        part.sync().map_err(Failure::Io)?;
        part.commit_if(self.force, || self.allowed())?.map_err(Failure::Io)
    }

    /// Whether the report may stand where it is asked for: never in place of a model that is read, or of one of its set.
    fn allowed(&self) -> Result<(), Failure> {
        let path = out::path(&self.output);
        let mut inputs = Taken::default();
        self.inputs
            .files
            .iter()
            .chain(&self.inputs.how.files_from)
            .for_each(|file| inputs.add(Path::new(file)));
        if inputs.holds(&self.output).map_err(Failure::Io)? {
            return Err(Failure::usage(
                "is-input",
                format!("{path} is one of the files that are read, or of their set"),
            ));
        }
        if self.output.is_dir() {
            return Err(Failure::usage("is-folder", format!("{path} is a folder; name a file in it")));
        }
        if !self.force && self.output.symlink_metadata().is_ok() {
            return Err(Failure::usage("exists", format!("{path} exists; --force replaces it")));
        }
        Ok(())
    }
}

fn refuse(out: &mut Out, failure: &Failure) -> io::Result<u8> {
    out.message(Ink::Bad, "error", &failure.to_string())?;
    Ok(FAILED)
}
