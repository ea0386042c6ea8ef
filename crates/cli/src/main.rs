//! The command `gguf`.

#![forbid(unsafe_code)]
// Doc comments of arguments are the help text, where brackets are brackets.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags, rustdoc::bare_urls)]

mod args;
mod commands;
mod failure;
mod frame;
mod input;
mod json;
mod out;
mod platform;
mod stdout;
mod taken;

use std::borrow::Cow;
use std::io::Write as _;
use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::error::ContextValue;
use clap::{CommandFactory as _, Parser as _};

use crate::commands::Command;
use crate::failure::Failure;
use crate::out::Out;

/// Nothing went wrong.
pub(crate) const OK: u8 = 0;
/// The question was understood and the answer is no: an absent key, a name that disagrees.
pub(crate) const NO: u8 = 1;
/// Usage, the system, or a file that cannot be read.
pub(crate) const FAILED: u8 = 2;

/// Read, show and explain GGUF model files.
#[derive(clap::Parser, Debug)]
#[command(
    name = "gguf",
    version,
    propagate_version = true,
    arg_required_else_help = true,
    max_term_width = 100
)]
#[command(
    after_help = "Exit status: 0 done, 1 the answer is no (an absent key), 2 a file could not be read, or usage.\n\
    See `gguf explain` for the format itself, `gguf help COMMAND` for examples."
)]
struct Cli {
    /// When to use colour
    #[arg(long, value_enum, default_value_t, global = true, value_name = "WHEN")]
    color: out::Color,
    #[command(subcommand)]
    command: Command,
}

/// The command whose answer was asked for as a document, where the arguments could not be read; `None` where they name no
/// command.
fn wants_document() -> Option<String> {
    let words: Vec<_> = std::env::args_os().skip(1).take_while(|word| word != "--").collect();
    let follows = |first: [&str; 2], then: &str| {
        words.windows(2).any(|pair| matches!(pair, [a, b] if first.iter().any(|f| a == *f) && b == then))
    };
    let json = words.iter().any(|word| word == "--json" || word == "--format=json")
        || follows(["--format", "-f"], "json");
    let known = Cli::command();
    let command =
        words.iter().filter_map(|word| word.to_str()).find_map(|word| known.find_subcommand(word))?;
    json.then(|| command.get_name().to_owned())
}

/// The error with what was typed in one line each: it may be a file's name, and so anybody's text. The lines that clap puts
/// between stay.
fn harmless(mut error: clap::Error) -> clap::Error {
    let plain = |text: String| out::one_line(&text).into_owned();
    let context: Vec<_> = error.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in context {
        let value = match value {
            ContextValue::String(text) => ContextValue::String(plain(text)),
            ContextValue::Strings(texts) => ContextValue::Strings(texts.into_iter().map(plain).collect()),
            // The tips, which repeat what was typed.
            ContextValue::StyledStrs(texts) => {
                let plain = |text: StyledStr| match out::one_line(&text.to_string()) {
                    Cow::Borrowed(_) => text,
                    Cow::Owned(line) => line.into(),
                };
                ContextValue::StyledStrs(texts.into_iter().map(plain).collect())
            }
            other => other,
        };
        error.insert(kind, value);
    }
    error
}

/// What is wrong with the arguments, in one line, with the advice that comes with it.
fn bad_arguments(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n");
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = one_line(paragraphs.next().unwrap_or_default());
    let help = paragraphs.map(one_line).find_map(|line| line.strip_prefix("tip: ").map(str::to_owned));
    let message = message.strip_prefix("error: ").unwrap_or(&message).to_owned();
    Failure::Usage { code: "bad-arguments", message, help }
}

fn main() -> ExitCode {
    // No command of anybody's: `gguf template` starts itself so, to render in a process with limits.
    let mut words = std::env::args_os().skip(1);
    if words.next().is_some_and(|word| word == commands::RENDER) {
        return ExitCode::from(commands::serve_render(words.next()));
    }
    platform::survive_file_limits();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let error = harmless(error);
            let help = !error.use_stderr();
            if let Some(command) = (!help).then(wants_document).flatten() {
                let mut out = Out::new(out::Color::Never);
                // Whether or not it can be said, the status tells.
                let _ = json::refusal(&mut out, &command, &bad_arguments(&error)).and_then(|()| out.finish());
                return ExitCode::from(FAILED);
            }
            // What the system says of an argument is not among what was escaped above.
            let text = error.render().to_string();
            let printed = if out::is_harmless(text.as_bytes()) {
                error.print()
            } else {
                text.lines()
                    .try_for_each(|line| writeln!(std::io::stderr(), "{}", out::plain(line.as_bytes())))
            };
            return ExitCode::from(match printed {
                Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => FAILED,
                _ if help => OK,
                _ => FAILED,
            });
        }
    };
    let mut out = Out::new(cli.color);
    let result = cli.command.run(&mut out).and_then(|status| out.finish().map(|()| status));
    if let Some(path) = stdout::leads_into() {
        if !out.has_said() {
            let _ = writeln!(std::io::stderr(), "error: {}: {}", out::path(path), stdout::why(path, path));
        }
        return ExitCode::from(FAILED);
    }
    match result {
        Ok(status) => ExitCode::from(status),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::from(OK),
        Err(error) => {
            // What goes wrong with an input is said where it is read; this is the output's.
            let _ = writeln!(std::io::stderr(), "gguf: standard output: {error}");
            ExitCode::from(FAILED)
        }
    }
}
