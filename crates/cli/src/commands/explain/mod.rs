//! `gguf explain`: the format taught in the terminal.

mod draw;
pub(super) mod lang;
mod render;
mod table;
pub(super) mod wrap;

use std::io::{self, Write as _};

use ggufkit::format::spec::Lang;
use ggufkit::inspect::explain::{self, Topic};
use ggufkit::inspect::json as writer;

use serde_json::json;

use self::lang::{LangArg, choose};
use crate::failure::Failure;
use crate::out::{self, Ink, Out};
use crate::{NO, OK};

/// Explain the format: a topic, a type, a key, an error
///
/// Without a topic: the list of topics. The tables and pictures are made from the tables by which this program reads
/// files.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
    gguf explain                           what there is to read\n  \
    gguf explain format                    a whole file, byte by byte\n  \
    gguf explain q4_K                      a block of a quantized tensor, bit by bit\n  \
    gguf explain general.alignment         a key\n  \
    gguf explain bad-magic                 an error\n  \
    gguf explain --lang zh quantization")]
pub(crate) struct Args {
    /// What to explain: a topic, the name or number of a type, a key, an architecture, the code of an error
    topic: Vec<String>,
    /// Language (default: that of LC_ALL, LC_MESSAGES or LANG)
    #[arg(long, value_enum, value_name = "LANG")]
    lang: Option<LangArg>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The document of `--json`: `topics`, or, where no topic was found, `errors` as the other commands have them.
#[derive(serde::Serialize)]
struct Document<'a> {
    schema: u32,
    command: &'static str,
    lang: &'static str,
    topics: &'a [Topic],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<serde_json::Value>,
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let lang = choose(self.lang);
        let topics = self.find(lang);
        if topics.is_empty() {
            return self.unknown(out, lang);
        }
        if self.json {
            document(out, lang, &topics, Vec::new())?;
            return Ok(OK);
        }
        for (i, topic) in topics.iter().enumerate() {
            if i > 0 {
                writeln!(out, "\n")?;
            }
            render::topic(out, topic, lang)?;
        }
        Ok(OK)
    }

    /// The topics that the words name. `tensor types` is `tensor-types`, `keys general` is `keys/general`.
    fn find(&self, lang: Lang) -> Vec<Topic> {
        if self.topic.is_empty() {
            return vec![explain::index(lang)];
        }
        ["-", "/"]
            .iter()
            .map(|joint| explain::find(&self.topic.join(joint), lang))
            .find(|found| !found.is_empty())
            .unwrap_or_default()
    }

    fn unknown(&self, out: &mut Out, lang: Lang) -> io::Result<u8> {
        let word = self.topic.join(" ");
        let near = explain::near(&self.topic.join("-"), 4);
        let shown = out::fit(word.as_bytes(), 80);
        let text = match lang {
            Lang::En => format!("no topic is called \"{shown}\""),
            Lang::Zh => format!("没有名为“{shown}”的主题"),
        };
        let help = match (near.is_empty(), lang) {
            (false, Lang::En) => format!("near it: {}", near.join(", ")),
            (false, Lang::Zh) => format!("相近的有：{}", near.join("、")),
            (true, Lang::En) => "gguf explain lists the topics".to_owned(),
            (true, Lang::Zh) => "gguf explain 列出全部主题".to_owned(),
        };
        if self.json {
            let failure = Failure::Usage { code: "unknown-topic", message: text, help: Some(help) };
            document(out, lang, &[], vec![json!({ "path": null, "error": failure.json() })])?;
        } else {
            out.message(Ink::Bad, "error", &text)?;
            out.message(Ink::Faint, "  help", &help)?;
        }
        Ok(NO)
    }
}

fn document(out: &mut Out, lang: Lang, topics: &[Topic], errors: Vec<serde_json::Value>) -> io::Result<()> {
    let lang = if lang == Lang::En { "en" } else { "zh" };
    let document = Document { schema: writer::SCHEMA, command: "explain", lang, topics, errors };
    writer::write(&mut *out, &document, true)?;
    writeln!(out)
}
