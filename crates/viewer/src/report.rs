//! A report: the page and the answers about a model, in one file that needs nothing else.
//!
//! It holds the answers that the page asks for first, under the questions as the page writes them ([`key`]). What is long is cut,
//! and told of in the session's `capped`. The document may run its own script and use its own style, by their hashes, and load
//! nothing at all.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use crate::answer::{Kind, MAX_LIST, Question, Refusal, Said, Session};
use crate::page;

/// Bytes that the page asks for at once.
pub const PIECE: u64 = 4096;
/// Rows that the page asks for at once.
pub const PAGE: u64 = 256;
/// Bytes of each file that a report has.
const BYTES: u64 = 32 << 10;
/// Elements of each array, and tokens, that it has.
const ELEMENTS: u64 = 1024;
/// Steps that it has.
const STEPS: u64 = 1024;
/// Arrays whose elements it has.
const ARRAYS: usize = 64;
/// Bytes of answers; what would go beyond is left out.
const ALL: usize = 24 << 20;
/// Tensors whose statistics it has.
const STATS: usize = 20_000;
/// Manuals that it has.
const MANUALS: usize = 100;

/// What a report holds beside the rest.
#[derive(Clone, Copy, Default)]
pub struct Options<'w> {
    /// Statistics of all tensors: reads the weights.
    pub stats: bool,
    /// Told of bytes that were measured since it was last told.
    pub measured: Option<&'w dyn Fn(u64)>,
}

impl std::fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options").field("stats", &self.stats).finish_non_exhaustive()
    }
}

/// Makes the report about everything that is open.
///
/// # Errors
/// A question that every report answers is refused: nothing could be opened, or the system does not let files be read.
pub fn html(session: &Session, options: &Options<'_>) -> Result<Vec<u8>, Refusal> {
    let answers = Answers::of(session, options)?;
    let document = document(&answers.json());
    document.map(String::into_bytes).ok_or_else(|| {
        Refusal::new(
            Kind::Unsupported,
            ("the page that was built in cannot be put into a report", "内置的页面无法放入报告"),
        )
    })
}

/// The answers of a report, by their questions.
struct Answers<'s> {
    session: &'s Session,
    all: BTreeMap<String, Vec<u8>>,
    size: usize,
    capped: Vec<Said>,
    full: bool,
}

/// The languages of the page.
const LANGS: [&str; 2] = ["en", "zh"];

impl<'s> Answers<'s> {
    fn of(session: &'s Session, options: &Options<'_>) -> Result<Self, Refusal> {
        let mut out = Self { session, all: BTreeMap::new(), size: 0, capped: Vec::new(), full: false };
        for model in 0..session.models() {
            out.model(model);
        }
        if session.models() > 1 {
            out.put(&Question::new("diff").with("a", 0).with("b", 1));
            out.put(&Question::new("pairs").with("a", 0).with("b", 1));
        }
        for file in 0..session.files() {
            out.file(file);
        }
        if options.stats {
            out.stats(options);
        }
        if out.full {
            out.cap(
                "There was more than a report holds; some of what follows was left out. `gguf view` shows all of it.".to_owned(),
                "内容超出报告的容量，其余部分已省略。`gguf view` 可以看到全部。".to_owned(),
            );
        }
        let session = crate::answer::session_of_report(session, &out.capped)?;
        out.all.insert("session".to_owned(), session);
        Ok(out)
    }

    fn cap(&mut self, en: String, zh: String) {
        self.capped.push(Said { en, zh });
    }

    /// Keeps an answer; a question that is refused is one that the report does not answer.
    fn put(&mut self, question: &Question) -> Option<Vec<u8>> {
        let answer = self.session.ask(question).ok()?;
        if self.size.saturating_add(answer.len()) > ALL {
            self.full = true;
            return None;
        }
        self.size += answer.len();
        self.all.insert(key(question), answer.clone());
        Some(answer)
    }

    fn model(&mut self, model: usize) {
        for name in ["map", "check", "templates"] {
            self.put(&Question::new(name).with("model", model));
        }
        for (name, lang) in
            ["show", "config", "memory"].iter().flat_map(|name| LANGS.map(|lang| (*name, lang)))
        {
            self.put(&Question::new(name).with("model", model).with("lang", lang));
        }
        let list = MAX_LIST as u64;
        let pages = |total: u64| (0..total.div_ceil(list).max(1)).map(move |page| page * list);
        for from in pages(self.session.key_values(model)) {
            for lang in LANGS {
                self.put(
                    &Question::new("metadata").with("model", model).with("lang", lang).with("from", from),
                );
            }
        }
        for from in pages(self.session.tensors(model)) {
            self.put(&Question::new("tensors").with("model", model).with("from", from));
        }
        for what in self.session.words(model).into_iter().take(MANUALS) {
            for lang in LANGS {
                self.put(&Question::new("explain").with("what", &what).with("lang", lang));
            }
        }
        let tokens = self.session.tokens(model);
        for from in starts(tokens.clamp(1, ELEMENTS), PAGE) {
            self.put(&Question::new("tokens").with("model", model).with("from", from).with("count", PAGE));
        }
        if tokens > ELEMENTS {
            self.cap(
                format!("The first {ELEMENTS} of {tokens} tokens are here."),
                format!("这里有 {tokens} 个词元中的前 {ELEMENTS} 个。"),
            );
        }
    }

    fn file(&mut self, file: usize) {
        let size = self.session.size(file);
        for start in starts(size.min(BYTES), PIECE) {
            let length = PIECE.min(size - start);
            for lang in LANGS {
                let question = Question::new("bytes").with("file", file).with("start", start);
                self.put(&question.with("length", length).with("lang", lang));
            }
        }
        if size > BYTES {
            let name = self.session.name(file).to_owned();
            self.cap(
                format!("The first {BYTES} of {size} bytes of {name} are here, and no weights."),
                format!("这里有 {name} 的 {size} 字节中的前 {BYTES} 字节，不含权重。"),
            );
        }
        let mut cut = false;
        let arrays = self.session.arrays(file);
        cut |= arrays.len() > ARRAYS;
        for (kv, count) in arrays.into_iter().take(ARRAYS) {
            cut |= count > ELEMENTS;
            for from in starts(count.min(ELEMENTS), PAGE) {
                let question = Question::new("elements").with("file", file).with("kv", kv);
                self.put(&question.with("from", from).with("count", PAGE));
            }
        }
        if cut {
            self.cap(
                format!("Of long arrays the first {ELEMENTS} elements are here."),
                format!("长数组只包含前 {ELEMENTS} 个元素。"),
            );
        }
        let steps = self.session.steps(file);
        for lang in LANGS {
            for from in starts(steps.min(STEPS), PAGE) {
                let question = Question::new("steps").with("file", file).with("from", from + 1);
                self.put(&question.with("count", PAGE).with("lang", lang));
            }
        }
        if steps > STEPS {
            self.cap(
                format!("The first {STEPS} of {steps} steps of a reader are here."),
                format!("这里有读取器 {steps} 个步骤中的前 {STEPS} 个。"),
            );
        }
    }

    fn stats(&mut self, options: &Options<'_>) {
        let count: usize = (0..self.session.files()).map(|file| self.session.tensors_of(file)).sum();
        let tensors = (0..self.session.files())
            .flat_map(|file| (0..self.session.tensors_of(file)).map(move |tensor| (file, tensor)));
        for (file, tensor) in tensors.take(STATS).collect::<Vec<_>>() {
            self.put(&Question::new("stats").with("file", file).with("tensor", tensor));
            if let Some(measured) = options.measured {
                measured(self.session.tensor_bytes(file, tensor));
            }
        }
        if count > STATS {
            self.cap(
                format!("Statistics of the first {STATS} of {count} tensors are here."),
                format!("这里有 {count} 个张量中前 {STATS} 个的统计。"),
            );
        }
    }

    /// The answers as a document that no tag can end: every `<` is written as an escape, which a reader of JSON undoes.
    fn json(&self) -> String {
        let mut out = format!("{{\"schema\":{},\"answers\":{{", ggufkit_inspect::json::SCHEMA);
        for (at, (key, answer)) in self.all.iter().enumerate() {
            // Each answer is a document already.
            let Ok(answer) = std::str::from_utf8(answer) else { continue };
            if at > 0 {
                out.push(',');
            }
            out.push_str(&serde_json::Value::from(key.as_str()).to_string());
            out.push(':');
            out.push_str(&answer.replace('<', "\\u003c"));
        }
        out.push_str("}}");
        out
    }
}

/// The first numbers of pages.
fn starts(total: u64, page: u64) -> impl Iterator<Item = u64> {
    (0..total.div_ceil(page)).map(move |at| at * page)
}

/// A question as one text: its name and values, sorted by their names, as the page writes it.
#[must_use]
pub fn key(question: &Question) -> String {
    let mut pairs: Vec<&(String, String)> = question.pairs().iter().collect();
    pairs.sort();
    let mut out = question.name().to_owned();
    for (at, (name, value)) in pairs.into_iter().enumerate() {
        out.push(if at == 0 { '?' } else { '&' });
        out.push_str(name);
        out.push('=');
        for byte in value.bytes() {
            // As `encodeURIComponent` of browsers has it.
            match byte {
                b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => out.push(char::from(byte)),
                b'-' | b'_' | b'.' | b'!' | b'~' | b'*' | b'\'' | b'(' | b')' => out.push(char::from(byte)),
                // Writing to a string does not fail.
                _ => drop(write!(out, "%{byte:02X}")),
            }
        }
    }
    out
}

/// The page with its script, its style and the answers in it.
fn document(answers: &str) -> Option<String> {
    const SCRIPT: &str = r#"<script type="module" src="assets/app.js"></script>"#;
    const STYLE: &str = r#"<link rel="stylesheet" href="assets/app.css">"#;
    const HEAD: &str = "<head>";
    const BODY: &str = "</body>";
    // A tag within a script would end it; in texts of a script the stroke may stand escaped.
    let script = page::SCRIPT.replace("</script", "<\\/script").replace("<!--", "<\\!--");
    let style = page::STYLE.replace("</style", "<\\/style");
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let policy = format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style)
    );
    let found = [HEAD, SCRIPT, STYLE, BODY].map(|tag| page::INDEX.matches(tag).count());
    if found != [1; 4] {
        return None;
    }
    // Each place is looked for in the page alone, so that nothing that was put in can be taken for one.
    let mut places = [
        (HEAD, format!("<head><meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">")),
        (SCRIPT, format!("<script type=\"module\">{script}</script>")),
        (STYLE, format!("<style>{style}</style>")),
        (BODY, format!("<script type=\"application/json\" id=\"ggufkit-answers\">{answers}</script></body>")),
    ]
    .map(|(tag, text)| (page::INDEX.find(tag).unwrap_or(0), tag, text));
    places.sort_by_key(|place| place.0);
    let (mut out, mut at) = (String::new(), 0);
    for (place, tag, text) in places {
        out.push_str(page::INDEX.get(at..place)?);
        out.push_str(&text);
        at = place + tag.len();
    }
    out.push_str(page::INDEX.get(at..)?);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_written_as_the_page_writes_them() {
        let question = Question::new("explain").with("what", "a b/c中").with("lang", "en");
        assert_eq!(key(&question), "explain?lang=en&what=a%20b%2Fc%E4%B8%AD");
        assert_eq!(key(&Question::new("session")), "session");
    }

    #[test]
    fn the_page_can_be_put_into_one_file() {
        let text = document(r#"{"a":"\u003c/script>"}"#).unwrap();
        assert!(!text.contains("assets/"));
        assert_eq!(text.matches("</script>").count(), 2);
        assert!(text.contains("script-src 'sha256-"));
    }
}
