//! `gguf explain`: the format taught in the terminal.

mod draw;
pub(super) mod lang;
mod render;
mod table;
pub(super) mod wrap;

use std::io::{self, Write as _};

use ggufkit::format::spec::Lang;
use ggufkit::inspect::explain::{self, Topic};
use ggufkit::inspect::json;

use self::lang::{LangArg, choose};
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

/// The document of `--json`.
#[derive(serde::Serialize)]
struct Document<'a> {
    schema: u32,
    command: &'static str,
    lang: &'static str,
    topics: &'a [Topic],
}

impl Args {
    pub(crate) fn run(self, out: &mut Out) -> io::Result<u8> {
        let lang = choose(self.lang);
        let topics = self.find(lang);
        if topics.is_empty() {
            return self.unknown(out, lang);
        }
        if self.json {
            let code = if lang == Lang::En { "en" } else { "zh" };
            let document = Document { schema: json::SCHEMA, command: "explain", lang: code, topics: &topics };
            json::write(&mut *out, &document, true)?;
            writeln!(out)?;
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
        out.message(Ink::Bad, "error", &text)?;
        let help = match (near.is_empty(), lang) {
            (false, Lang::En) => format!("near it: {}", near.join(", ")),
            (false, Lang::Zh) => format!("相近的有：{}", near.join("、")),
            (true, Lang::En) => "gguf explain lists the topics".to_owned(),
            (true, Lang::Zh) => "gguf explain 列出全部主题".to_owned(),
        };
        out.message(Ink::Faint, "  help", &help)?;
        Ok(NO)
    }
}
