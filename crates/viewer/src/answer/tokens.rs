//! The vocabulary, by id, by a part of the text, by type.
//!
//! Nothing of it is kept but what is small: any page of tokens is found in the head by its number, and a search is one pass
//! over the bytes of the array.

use std::sync::OnceLock;

use ggufkit_format::{ArrayRef, Span, Value, shorten};
use ggufkit_inspect::Part;
use memchr::memmem::Finder;
use serde::Serialize;

use super::query::Query;
use super::refusal::Refusal;
use super::session::{Opened, Session};
use super::shape::{Num, Place};
use super::{Answer, MAX_ROWS, json};

/// Tokens that are put into the order of their scores.
const MAX_SORTED: u64 = 4 << 20;
/// Characters of a token.
const TEXT: usize = 400;
/// Bytes of what is looked for.
const MAX_FIND: usize = 1000;
/// Sorts of types that are counted apart.
const MAX_TYPES: usize = 64;

/// What is kept of a vocabulary.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    types: Vec<(i64, u64)>,
    /// Ids with the special roles that keys give them.
    roles: Vec<(u64, String)>,
    /// Whether texts are written in GPT-2's alphabet of bytes.
    is_bytes: bool,
}

#[derive(Serialize, Default)]
struct Tokens {
    total: u64,
    matched: u64,
    types: Vec<TypeCount>,
    tokens: Vec<Token>,
}

#[derive(Serialize)]
struct TypeCount {
    #[serde(rename = "type")]
    ty: String,
    count: u64,
}

#[derive(Serialize)]
struct Token {
    id: u64,
    text: String,
    /// What it stands for, where its text is written in an alphabet of bytes or with signs for spaces.
    decoded: Option<String>,
    odd: bool,
    score: Option<Num>,
    #[serde(rename = "type")]
    ty: Option<String>,
    roles: Vec<String>,
    span: Place,
}

/// The arrays of a vocabulary.
struct Arrays<'a> {
    file: usize,
    part: Part<'a>,
    tokens: ArrayRef<'a>,
    scores: Option<ArrayRef<'a>>,
    types: Option<ArrayRef<'a>>,
}

impl<'a> Arrays<'a> {
    fn of(parts: &[(usize, Part<'a>)]) -> Option<Self> {
        let (file, part) =
            parts.iter().find(|(_, part)| part.view.find("tokenizer.ggml.tokens").is_some())?;
        let array = |key: &str| part.view.get(key).and_then(|value| value.as_array());
        Some(Self {
            file: *file,
            part: *part,
            tokens: array("tokenizer.ggml.tokens")?,
            scores: array("tokenizer.ggml.scores")
                .filter(|array| array.element_type().fixed_size().is_some()),
            types: array("tokenizer.ggml.token_type")
                .filter(|array| array.element_type().fixed_size().is_some()),
        })
    }

    fn ty(&self, id: u64) -> Option<i64> {
        match self.types?.get(id)? {
            Value::Scalar(scalar) => i64::try_from(scalar.as_integer()?).ok(),
            _ => None,
        }
    }

    fn score(&self, id: u64) -> Option<f32> {
        match self.scores?.get(id)? {
            // Files have them as f32; a double that is none is told as the nearest.
            Value::Scalar(scalar) => scalar.as_float().map(|score| score as f32),
            _ => None,
        }
    }
}

impl Vocabulary {
    fn of(arrays: &Arrays<'_>) -> Self {
        let mut out = Self::default();
        if let Some(types) = arrays.types {
            for value in types.iter() {
                let Value::Scalar(scalar) = value else { continue };
                let ty = scalar.as_integer().and_then(|n| i64::try_from(n).ok()).unwrap_or(i64::MIN);
                if let Some((_, count)) = out.types.iter_mut().find(|(known, _)| *known == ty) {
                    *count = count.saturating_add(1);
                } else if out.types.len() < MAX_TYPES {
                    out.types.push((ty, 1));
                }
            }
            out.types.sort_unstable();
        }
        for (key, kv) in arrays.part.view.kvs() {
            let role = key.0.strip_prefix(b"tokenizer.ggml.").and_then(|key| key.strip_suffix(b"_token_id"));
            let (Some(role), Some(id)) = (role, arrays.part.view.value(kv).as_u64()) else { continue };
            let name = match role {
                b"unknown" => "unk".to_owned(),
                b"padding" => "pad".to_owned(),
                // The key is spelled so.
                b"seperator" => "sep".to_owned(),
                role => shorten(role, 40),
            };
            if out.roles.len() < MAX_TYPES {
                out.roles.push((id, name));
            }
        }
        out.is_bytes =
            arrays.part.view.get("tokenizer.ggml.model").and_then(|model| model.as_str()) == Some("gpt2");
        out
    }
}

/// Types of tokens, as llama.cpp numbers them.
pub(super) const TYPES: [&str; 7] =
    ["undefined", "normal", "unknown", "control", "user-defined", "unused", "byte"];

/// A type of tokens by its number.
fn type_name(ty: i64) -> String {
    let name = usize::try_from(ty).ok().and_then(|at| TYPES.get(at));
    name.map_or_else(|| ty.to_string(), |name| (*name).to_owned())
}

/// What tokens are asked for.
struct Wanted {
    /// Bytes that a text may hold: as they were typed, and in the alphabets that vocabularies are written in.
    texts: Vec<Finder<'static>>,
    id: Option<u64>,
    ty: Option<i64>,
}

impl Wanted {
    fn of(query: &Query<'_>, vocabulary: &Vocabulary) -> Result<Self, Refusal> {
        let mut wanted = Self { texts: Vec::new(), id: None, ty: None };
        if let Some(text) = query.text("find").filter(|text| !text.is_empty()) {
            if text.len() > MAX_FIND {
                return Err(Refusal::limit(("bytes of a text", "字节的文本"), MAX_FIND as u64));
            }
            wanted.id = text.parse().ok();
            let mut forms = vec![text.to_owned(), text.replace(' ', "\u{2581}")];
            if vocabulary.is_bytes {
                forms.push(encode(text.as_bytes()));
            }
            forms.dedup();
            wanted.texts = forms.iter().map(|form| Finder::new(form.as_bytes()).into_owned()).collect();
        }
        if let Some(ty) = query.text("type").filter(|ty| !ty.is_empty()) {
            let found =
                vocabulary.types.iter().map(|(known, _)| *known).find(|known| type_name(*known) == ty);
            // A type that no token has is no error: there is none of it.
            wanted.ty = Some(found.unwrap_or(i64::MIN));
        }
        Ok(wanted)
    }

    fn is_all(&self) -> bool {
        self.texts.is_empty() && self.ty.is_none()
    }

    fn takes(&self, id: u64, text: &[u8], ty: Option<i64>) -> bool {
        let found = self.texts.is_empty()
            || self.id == Some(id)
            || self.texts.iter().any(|form| form.find(text).is_some());
        found && (self.ty.is_none() || self.ty == ty)
    }
}

pub(super) fn tokens(session: &Session, query: &Query<'_>) -> Answer {
    let (_, opened) = session.opened(query, "model")?;
    let from: u64 = query.number("from")?;
    let count = query.count("count", MAX_ROWS, ("tokens", "个词元"))?;
    let by_score = match query.text("sort") {
        None | Some("" | "id") => false,
        Some("score") => true,
        Some(_) => return Err(Refusal::usage(("sort is id or score", "sort 应为 id 或 score"))),
    };
    let parts = session.parts(opened);
    // Of a model without a vocabulary there are no tokens; whether it has none, or that was not read, the session tells.
    let Some(arrays) = Arrays::of(&parts) else { return json(&Tokens::default()) };
    let vocabulary = opened.vocabulary(&arrays);
    let wanted = Wanted::of(query, vocabulary)?;
    let total = arrays.tokens.len();
    let page = || usize::try_from(count).unwrap_or(0);
    let (ids, matched): (Vec<u64>, u64) = if wanted.is_all() && !by_score {
        ((from..total.min(from.saturating_add(count))).collect(), total)
    } else if by_score {
        if total > MAX_SORTED {
            return Err(Refusal::limit(
                ("tokens in the order of their scores", "个按分数排序的词元"),
                MAX_SORTED,
            ));
        }
        let mut found: Vec<(f32, u64)> =
            ids(&arrays, &wanted).map(|id| (arrays.score(id).unwrap_or(f32::NEG_INFINITY), id)).collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let all = found.len() as u64;
        let skip = usize::try_from(from).unwrap_or(usize::MAX);
        (found.into_iter().skip(skip).take(page()).map(|(_, id)| id).collect(), all)
    } else {
        let (mut some, mut all) = (Vec::new(), 0_u64);
        for id in ids(&arrays, &wanted) {
            if all >= from && some.len() < page() {
                some.push(id);
            }
            all += 1;
        }
        (some, all)
    };
    let types =
        vocabulary.types.iter().map(|(ty, count)| TypeCount { ty: type_name(*ty), count: *count }).collect();
    let tokens = ids.into_iter().filter_map(|id| token(&arrays, vocabulary, id)).collect();
    json(&Tokens { total, matched, types, tokens })
}

impl Opened {
    fn vocabulary(&self, arrays: &Arrays<'_>) -> &Vocabulary {
        let cell: &OnceLock<Vocabulary> = &self.vocabulary;
        cell.get_or_init(|| Vocabulary::of(arrays))
    }
}

/// The ids of the tokens that are wanted, in their order.
fn ids<'q>(arrays: &'q Arrays<'_>, wanted: &'q Wanted) -> impl Iterator<Item = u64> + 'q {
    let mut types = arrays.types.filter(|_| wanted.ty.is_some()).map(|types| types.iter());
    (0_u64..).zip(arrays.tokens.iter()).filter_map(move |(id, value)| {
        let ty = types.as_mut().and_then(Iterator::next).and_then(|value| match value {
            Value::Scalar(scalar) => i64::try_from(scalar.as_integer()?).ok(),
            _ => None,
        });
        let text = value.as_bytes().unwrap_or_default();
        wanted.takes(id, text, ty).then_some(id)
    })
}

fn token(arrays: &Arrays<'_>, vocabulary: &Vocabulary, id: u64) -> Option<Token> {
    let mut walk = arrays.tokens.iter_from(id);
    let start = walk.offset();
    let value = walk.next()?;
    let text = value.as_bytes().unwrap_or_default();
    let roles = vocabulary.roles.iter().filter(|(other, _)| *other == id);
    Some(Token {
        id,
        text: shorten(text, TEXT),
        decoded: decoded(text, vocabulary.is_bytes),
        odd: std::str::from_utf8(text).is_err(),
        score: arrays.score(id).map(Num::single),
        ty: arrays.ty(id).map(type_name),
        roles: roles.map(|(_, role)| role.clone()).collect(),
        span: Place::new(arrays.file, Span::between(start, walk.offset())),
    })
}

/// What a token stands for, where that is not its text.
fn decoded(text: &[u8], is_bytes: bool) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let plain = if is_bytes {
        shorten(&text.chars().map(byte_of).collect::<Option<Vec<u8>>>()?, TEXT)
    } else {
        shorten(text.replace('\u{2581}', " ").as_bytes(), TEXT)
    };
    (plain != shorten(text.as_bytes(), TEXT)).then_some(plain)
}

/// Whether a byte stands for itself in GPT-2's alphabet: what Latin-1 can print.
const fn is_itself(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff)
}

/// The byte that a letter of GPT-2's alphabet stands for.
fn byte_of(letter: char) -> Option<u8> {
    match u32::from(letter) {
        code @ 0..256 => u8::try_from(code).ok().filter(|byte| is_itself(*byte)),
        // The others follow from 256 on, in their order.
        code => (0..=u8::MAX).filter(|byte| !is_itself(*byte)).nth(usize::try_from(code - 256).ok()?),
    }
}

/// Bytes in GPT-2's alphabet.
fn encode(bytes: &[u8]) -> String {
    let letter = |byte: &u8| match is_itself(*byte) {
        true => char::from(*byte),
        false => {
            let before = (0..*byte).filter(|other| !is_itself(*other)).count();
            char::from_u32(256 + u32::try_from(before).unwrap_or(0)).unwrap_or('\u{fffd}')
        }
    };
    bytes.iter().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_for_bytes_as_gpt_2_has_it() {
        // A space is Ġ, a line end Ċ; these are in every vocabulary of the kind.
        assert_eq!(encode(b" the\n"), "\u{120}the\u{10a}");
        assert_eq!(encode("你好".as_bytes()), "ä½łå¥½");
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let back: Option<Vec<u8>> = encode(&all).chars().map(byte_of).collect();
        assert_eq!(back, Some(all));
        assert_eq!(decoded("\u{120}the".as_bytes(), true).as_deref(), Some(" the"));
        assert_eq!(decoded("\u{2581}the".as_bytes(), false).as_deref(), Some(" the"));
        assert_eq!(decoded(b"the", true), None);
    }
}
