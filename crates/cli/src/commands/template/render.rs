//! The prompt that a chat template makes of a conversation.

use std::io;

use ggufkit::check::template::{Template, prepare};
use ggufkit::inspect::Model;

use super::date::Date;
use super::sandbox::{self, Request};
use super::{Variables, key, special_token};

/// Special tokens that templates know as variables, and the keys of their ids.
const TOKENS: &[(&str, &str)] = &[
    ("bos_token", "tokenizer.ggml.bos_token_id"),
    ("eos_token", "tokenizer.ggml.eos_token_id"),
    ("unk_token", "tokenizer.ggml.unknown_token_id"),
    ("sep_token", "tokenizer.ggml.seperator_token_id"),
    ("pad_token", "tokenizer.ggml.padding_token_id"),
    ("cls_token", "tokenizer.ggml.cls_token_id"),
    ("mask_token", "tokenizer.ggml.mask_token_id"),
];

/// Longest special token. Seven keys may name one of a megabyte, which is copied for each.
const MAX_TOKEN: usize = 4096;

/// The prompt that a template makes of the variables, or why there is none, in words.
///
/// The template has no loader, and `fuel` bounds its steps and the text that it makes; one that nests too deeply to be
/// parsed is refused before. What fuel does not count is bounded by the process that renders.
///
/// # Errors
/// Where the system is what stands in the way.
pub(super) fn render(
    template: &Template<'_>,
    variables: &Variables,
    date: Option<&Date>,
    fuel: u64,
    model: Option<&Model<'_>>,
) -> io::Result<Result<String, String>> {
    let key = key(template);
    let source = match prepare(template.text) {
        Ok(source) => source,
        Err(why) => return Ok(Err(format!("{key} is not rendered: {why}"))),
    };
    let mut all = Variables::new();
    for (name, id) in TOKENS {
        if let Some(token) = model.and_then(|model| special_token(model, id)) {
            if token.len() > MAX_TOKEN {
                let why = format!("the token of {id} is longer than {MAX_TOKEN} bytes");
                return Ok(Err(format!("{key} is not rendered: {why}")));
            }
            all.insert((*name).to_owned(), serde_json::Value::from(token).to_string());
        }
    }
    all.extend(variables.iter().map(|(name, value)| (name.clone(), value.clone())));
    let given = variables.values().map(String::len).sum();
    let request = Request { key, source, variables: all, date: date.copied(), fuel };
    sandbox::render(&request, given)
}
