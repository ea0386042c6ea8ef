//! `gguf get`: the value of a key, and nothing else.

mod find;
mod render;
mod token;

use std::ffi::OsString;
use std::io;

use ggufkit::format::spec::ValueType;
use ggufkit::inspect::query::Query;
use ggufkit::io::{Input, expand};

use crate::args::{HowArgs, ReadArgs};
use crate::failure::Failure;
use crate::json::Files;
use crate::out::Out;
use crate::{FAILED, NO, OK, frame};

/// Print the value of a key: text as it is, an array one element a line
///
/// KEY may end in a position: KEY[3], KEY[-1] (the last), KEY[10:20] (10 to 19: the end is not included), KEY[:5],
/// KEY[1][2]; of the tokens, their types and scores also by the token: tokenizer.ggml.token_type[<s>]. Reading stops at the first
/// key that matches, so an early key costs one page of the file; --all reads on.
///
/// Text is printed as it is, but for characters that could act on a terminal: those are written as escapes, and a note
/// says so. In an array, or where lines begin with the key or the file, each value is one line, escaped. --raw prints
/// the exact bytes; to a terminal only those that cannot act on it.
#[derive(clap::Args, Debug)]
#[command(
    override_usage = "gguf get [OPTIONS] FILE KEY...\n       gguf get [OPTIONS] --key KEY... FILE...",
    after_help = "Exit status: 0 found, 1 no such key, position or type, 2 a file could not be read.

Examples:
  gguf get model.gguf general.name
  gguf get model.gguf tokenizer.chat_template --raw > template.jinja
  gguf get model.gguf 'tokenizer.ggml.tokens[128000:128010]'
  gguf get model.gguf 'tokenizer.ggml.token_type[<s>]'
  gguf get model.gguf general.architecture general.file_type --json
  gguf get --key general.architecture models/*.gguf
  gguf get model.gguf tokenizer.ggml.precompiled_charsmap --raw > charsmap.bin"
)]
pub(crate) struct Args {
    /// A file, a member of a shard set, or `-`; then keys. With --key, files only
    #[arg(value_names = ["FILE", "KEY"], num_args = 1.., required_unless_present = "files_from")]
    words: Vec<OsString>,
    /// A key to look up; may be given again
    #[arg(long = "key", short = 'k', value_name = "KEY")]
    keys: Vec<OsString>,
    #[command(flatten)]
    how: HowArgs,
    #[command(flatten)]
    read: ReadArgs,
    /// Print JSON: each value with its type and place
    #[arg(long)]
    json: bool,
    /// Print exact bytes: of a text, or of a number or an array's elements as they stand in the file
    #[arg(long, conflicts_with_all = ["json", "all"])]
    raw: bool,
    /// Print every occurrence of the key; a file is read to the end of its head
    #[arg(long)]
    all: bool,
    /// Take brackets at the end of KEY as part of the key
    #[arg(long)]
    exact: bool,
    /// Only accept a value of this type (u32, string, array, …)
    #[arg(long = "type", value_name = "TYPE", value_parser = value_type)]
    wanted: Option<ValueType>,
    /// Print values only, where several files or keys would begin each line with their names
    #[arg(long)]
    no_label: bool,
}

fn value_type(name: &str) -> Result<ValueType, String> {
    ValueType::from_name(name).ok_or_else(|| {
        let names: Vec<String> = ValueType::ALL.iter().map(ToString::to_string).collect();
        format!("the types are {}", names.join(", "))
    })
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let (files, keys) = self.files_and_keys();
        if keys.is_empty() {
            let usage = "which key? Write `gguf get FILE KEY`, or `gguf get --key KEY FILE...`";
            return self.refuse(out, &Failure::usage("no-key", usage));
        }
        let inputs = match expand(&files, &self.how.expand()) {
            Ok(inputs) => inputs,
            Err(error) => {
                let failed = [frame::no_input(error, &files, &self.how)];
                if self.json {
                    render::nothing(out, &failed)?
                } else {
                    frame::report(out, &failed)?
                }
                return Ok(FAILED);
            }
        };
        if !frame::prepare(out, &inputs)? {
            return Ok(FAILED);
        }
        if self.raw && (inputs.len() > 1 || keys.len() > 1) {
            let usage = "--raw prints the bytes of one value: give one file and one key";
            return self.refuse(out, &Failure::usage("raw-of-several", usage));
        }
        let queries: Vec<Query> = keys.iter().map(|key| self.query(key)).collect();
        let several = inputs.len() > 1 || matches!(&inputs[..], [Input::Set(_)] if self.all);
        let mut show = render::Show {
            form: match (self.json, self.raw) {
                (true, _) => render::Form::Json(Files::begin(out, "get", true)?),
                (_, true) => render::Form::Raw,
                _ => render::Form::Text {
                    path: several && !self.no_label,
                    key: (queries.len() > 1 || self.all) && !self.no_label,
                },
            },
            wanted: self.wanted,
            escaped: false,
        };
        let mut status = OK;
        for input in &inputs {
            let search = find::Search { queries: &queries, all: self.all, read: &self.read };
            status = status.max(search.input(out, input, &mut show)?);
        }
        show.end(out)?;
        Ok(status)
    }

    fn refuse(&self, out: &mut Out, failure: &Failure) -> io::Result<u8> {
        frame::refuse(out, "get", self.json, failure)?;
        Ok(FAILED)
    }

    /// Which of the words are files, which are keys.
    fn files_and_keys(&self) -> (Vec<OsString>, Vec<OsString>) {
        match (self.keys.is_empty(), &self.how.files_from, self.words.split_first()) {
            (false, ..) => (self.words.clone(), self.keys.clone()),
            (true, Some(_), _) => (Vec::new(), self.words.clone()),
            (true, None, Some((file, keys))) => (vec![file.clone()], keys.to_vec()),
            (true, None, None) => (Vec::new(), Vec::new()),
        }
    }

    fn query(&self, key: &OsString) -> Query {
        let key = key.as_encoded_bytes();
        if self.exact { Query::exact(key) } else { Query::new(key) }
    }
}

/// `max` of two exit statuses is the worse one.
const _: () = assert!(OK < NO && NO < FAILED);
