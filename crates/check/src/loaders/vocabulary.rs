//! What llama.cpp does with a vocabulary when it loads a model.
//!
//! This follows `llama_vocab::impl::load`, in its order, with the vocabulary and the names that the rules have too: who
//! refuses what is told by what is there, not by what some rule says about it. A program that is ended by a failed assertion
//! refuses the file as well.

use ggufkit_format::spec::ValueType;
use ggufkit_format::{ArrayRef, Kv, Value};
use ggufkit_inspect::Place;

use crate::facts::Facts;
use crate::rules::tokenizer::known;

/// Why a vocabulary is not taken.
pub(super) enum Stop {
    /// It is refused.
    Refused {
        /// Why, in a few words.
        why: String,
        /// The rule that tells it, where one does.
        rule: Option<&'static str>,
        /// The key that decides.
        key: String,
    },
    /// Whether it is taken is not known.
    Unsure,
}

/// The table of replacements of a T5.
const CHARSMAP: &str = "precompiled_charsmap";

/// The type of a token that stands for one byte.
const BYTE: u64 = 6;

/// Numbers that are read where they are there.
const IDS: [&str; 18] = [
    "token_type_count",
    "bos_token_id",
    "eos_token_id",
    "eot_token_id",
    "eom_token_id",
    "unknown_token_id",
    "seperator_token_id",
    "padding_token_id",
    "mask_token_id",
    "fim_pre_token_id",
    "fim_suf_token_id",
    "fim_mid_token_id",
    "fim_pad_token_id",
    "fim_rep_token_id",
    "fim_sep_token_id",
    "prefix_token_id",
    "suffix_token_id",
    "middle_token_id",
];

/// Flags that are read where they are there.
const FLAGS: [&str; 7] = [
    "add_space_prefix",
    "remove_extra_whitespaces",
    "add_bos_token",
    "add_eos_token",
    "add_sep_token",
    "normalizer.lowercase",
    "normalizer.strip_accents",
];

/// Texts of tokens that end what a model says: they become control tokens, whatever type is written.
const ENDS: [&str; 22] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|end|>",
    "<|return|>",
    "<|call|>",
    "<|flush|>",
    "<|calls|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "</s>",
    "<|eom_id|>",
    "<EOT>",
    "_<EOT>",
    "[EOT]",
    "[EOS]",
    "<|end_of_text|>",
    "<end_of_utterance>",
    "<eos>",
    "<turn|>",
    "<|tool_response>",
    "<｜end▁of▁sentence｜>",
    "[e~[",
];

/// Texts of tokens that become tokens of a user's own.
const SHOWN: [&str; 4] = ["<|channel|>", "<|message|>", "<|start|>", "<|constrain|>"];

/// Texts of which one of each sort becomes a control token: which one is left to chance.
const MARKS: [&str; 35] = [
    "<|fim_prefix|>",
    "<fim-prefix>",
    "<fim_prefix>",
    "<｜fim▁begin｜>",
    "<PRE>",
    "▁<PRE>",
    "<|code_prefix|>",
    "<|prefix|>",
    "<|fim_suffix|>",
    "<fim-suffix>",
    "<fim_suffix>",
    "<｜fim▁hole｜>",
    "<SUF>",
    "▁<SUF>",
    "<|code_suffix|>",
    "<|suffix|>",
    "<|fim_middle|>",
    "<fim-middle>",
    "<fim_middle>",
    "<｜fim▁end｜>",
    "<MID>",
    "▁<MID>",
    "<|code_middle|>",
    "<|middle|>",
    "<|fim_pad|>",
    "<fim-pad>",
    "<fim_pad>",
    "<PAD>",
    "[PAD]",
    "<|fim_repo|>",
    "<|repo_name|>",
    "<fim-repo>",
    "<REPO>",
    "<reponame>",
    "<|file_sep|>",
];

/// The token that stands for what a vocabulary of T5 has no piece for.
const UNKNOWN_OF_T5: u64 = 2;

/// Tokens that are looked up without a question where `general.name` tells of a Phi 3.
const OF_PHI3: [&str; 4] = ["</s>", "<unk>", "<s>", "<|endoftext|>"];

/// `Ok` where the vocabulary is taken.
pub(super) fn load(facts: &Facts<'_>) -> Result<(), Stop> {
    let Some(model) = text(facts, "model")? else {
        return Err(absent(facts, "model", "required-key-missing"));
    };
    let pre = text(facts, "pre")?.unwrap_or_default();
    typed(facts, "token_type_count", ValueType::UINT32)?;
    let Some(model) = known::MODELS.iter().copied().find(|known| known.as_bytes() == model) else {
        return Err(refused("model", "tokenizer-model-unknown", "the tokenizer is not known to it"));
    };
    if known::has_no_vocabulary(model) {
        return size(facts);
    }
    if known::reads_merges(model) {
        match place(facts, "merges") {
            Some(merges) if crate::vocabulary::strings(&merges).is_none() => {
                return Err(refused("merges", "merges-missing", "the merge rules are no array of strings"));
            }
            None if !(known::reads_pre(model) && pre == known::WITHOUT_MERGES.as_bytes()) => {
                return Err(absent(facts, "merges", "merges-missing"));
            }
            _ => {}
        }
    }
    if known::reads_pre(model) && !pre.is_empty() && !known::is_pre(pre) {
        return Err(refused("pre", "pre-tokenizer-unknown", "the pre-tokenizer is not known to it"));
    }
    // What the table of replacements says is not looked into.
    let has_table = model == "t5" && charsmap(facts)?;
    for flag in FLAGS {
        typed(facts, flag, ValueType::BOOL)?;
    }
    tokens(facts, model)?;
    for id in IDS {
        typed(facts, id, ValueType::UINT32)?;
    }
    if let Some(place) = place(facts, "suppress_tokens")
        && array(&place, &[ValueType::INT32]).is_none()
    {
        return Err(refused(
            "suppress_tokens",
            "suppress-token-range",
            "the tokens to be suppressed are no INT32",
        ));
    }
    // A line break is cut to find its token; where there is no piece for it, the unknown one has to be there.
    if model == "t5" {
        line_break(facts)?;
    }
    // The token of a line break is the padding there, which is the first one unless the file says otherwise.
    if model == "bert" && facts.vocabulary().is_some_and(|tokens| tokens.len() == 0) {
        return Err(refused("tokens", "tokens-missing", "there is no token"));
    }
    // How these two cut a line break, which is tried, hangs on their tokens.
    if has_table || matches!(model, "rwkv" | "plamo2") { Err(Stop::Unsure) } else { phi3(facts, pre) }
}

/// `Ok` where a vocabulary whose tokens are right is taken: what other keys tell of it. It costs nothing, however many
/// tokens there are, unless a name tells of a model that needs some of them.
pub(super) fn load_but_tokens(facts: &Facts<'_>) -> Result<(), Stop> {
    let Ok(Some(model)) = text(facts, "model") else { return Ok(()) };
    let pre = text(facts, "pre").ok().flatten().unwrap_or_default();
    match known::MODELS.iter().copied().find(|known| known.as_bytes() == model) {
        Some(model) if known::has_no_vocabulary(model) => size(facts),
        Some("rwkv" | "plamo2") | None => Ok(()),
        Some("t5") if place(facts, CHARSMAP).is_some() => Ok(()),
        Some(_) => phi3(facts, pre),
    }
}

/// The size of a vocabulary that is none is read, and what does not fit it is refused among the tensors.
fn size(facts: &Facts<'_>) -> Result<(), Stop> {
    match facts.arch_key("vocab_size") {
        Some(place) if place.record.value_type != ValueType::UINT32 => {
            let key = format!("{}.vocab_size", facts.architecture().unwrap_or_default());
            Err(Stop::Refused { why: "the size of the vocabulary is no UINT32".to_owned(), rule: None, key })
        }
        _ => Ok(()),
    }
}

/// Whether a change of a key may change what is said of the vocabulary, by the rules or by who loads it.
#[must_use]
pub fn is_of_vocabulary(key: &[u8]) -> bool {
    // Chat templates are no part of it. Another architecture reads another vocabulary.
    (key.starts_with(b"tokenizer.") && !key.starts_with(b"tokenizer.chat_template"))
        || key.ends_with(b".vocab_size")
        || key == b"general.architecture"
}

/// The tokens with their scores and types.
fn tokens(facts: &Facts<'_>, model: &str) -> Result<(), Stop> {
    let Some(list) = place(facts, "tokens") else { return Err(absent(facts, "tokens", "tokens-missing")) };
    if crate::vocabulary::strings(&list).is_none() {
        return Err(refused("tokens", "tokens-missing", "the tokens are no array of strings"));
    }
    // It is too large to be looked into where it is not there.
    let Some(vocabulary) = facts.vocabulary() else { return Err(Stop::Unsure) };
    let parallel = |suffix, types: &[ValueType], of_type, of_length| match place(facts, suffix) {
        None => Ok(None),
        Some(place) => match array(&place, types) {
            None => Err(refused(suffix, of_type, "the array has elements of a type that it does not take")),
            Some(array) if array.len() < vocabulary.len() => {
                Err(refused(suffix, of_length, "the array is shorter than the vocabulary"))
            }
            array => Ok(array),
        },
    };
    let scores = [ValueType::FLOAT32, ValueType::INT32];
    parallel("scores", &scores, "token-scores-type", "token-scores-length")?;
    let types = parallel("token_type", &[ValueType::INT32], "token-type-type", "token-type-length")?;
    if vocabulary.duplicates.first().is_some() {
        return Err(refused("tokens", "token-duplicate", "two tokens have the same text"));
    }
    let is_short = |text: &[u8]| matches!(text.len(), 1 | 2);
    let mut kinds = types.into_iter().flatten();
    for (_, text) in vocabulary.iter() {
        // A text ends at a NUL there, and one without a text gets one: then others may be equal.
        if text.contains(&0) || text.starts_with(b"[EMPTY_") {
            return Err(Stop::Unsure);
        }
        if kinds.next().and_then(|kind| kind.as_u64()) != Some(BYTE) {
            continue;
        }
        match model {
            // These are made control tokens, which is looked at first.
            "bert" if ENDS.iter().chain(&SHOWN).any(|known| known.as_bytes() == text) => {}
            "bert" if MARKS.iter().any(|known| known.as_bytes() == text) => return Err(Stop::Unsure),
            "bert" => {
                return Err(Stop::Refused {
                    why: "a token of the type BYTE ends it where the tokenizer is bert".to_owned(),
                    rule: None,
                    key: key("token_type"),
                });
            }
            "rwkv" | "plamo2" | "test" => {}
            _ if is_short(text) => {
                let why = "a token of the type BYTE has no text to read a byte from";
                return Err(refused("tokens", "byte-tokens-incomplete", why));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether a T5 vocabulary has a token for a line break, or for what is unknown.
fn line_break(facts: &Facts<'_>) -> Result<(), Stop> {
    let Some(vocabulary) = facts.vocabulary().filter(|tokens| tokens.len() <= UNKNOWN_OF_T5) else {
        return Ok(());
    };
    // With these a line break may begin, as it is or with a space put in front of it.
    let begins = |text: &[u8]| {
        text.starts_with(b"\n") || text.starts_with(b" ") || text.starts_with("\u{2581}".as_bytes())
    };
    match vocabulary.iter().any(|(_, text)| begins(text)) {
        true => Err(Stop::Unsure),
        false => Err(Stop::Refused {
            why: format!("a line break is the token {UNKNOWN_OF_T5}, which is not there"),
            rule: None,
            key: key("tokens"),
        }),
    }
}

/// Whether there is a table of replacements.
fn charsmap(facts: &Facts<'_>) -> Result<bool, Stop> {
    let Some(place) = place(facts, CHARSMAP) else { return Ok(false) };
    let refused = |why: &str| Stop::Refused { why: why.to_owned(), rule: None, key: key(CHARSMAP) };
    let Some(array) = array(&place, &[ValueType::INT8, ValueType::UINT8]) else {
        return Err(refused("the table of replacements is no array of bytes"));
    };
    let bytes = array.as_bytes();
    // Its length stands in front of it, and texts have to follow.
    match bytes.first_chunk::<4>().map(|length| u64::from(u32::from_le_bytes(*length))) {
        Some(length) if length + 4 < bytes.len() as u64 => Ok(true),
        _ => Err(refused("the table of replacements is cut short")),
    }
}

/// The tokens of a Phi 3, which llama.cpp takes the model for by its name.
fn phi3(facts: &Facts<'_>, pre: &[u8]) -> Result<(), Stop> {
    let holds = |text: &[u8], part: &str| text.windows(part.len()).any(|window| window == part.as_bytes());
    let architecture = facts.architecture().unwrap_or_default().as_bytes();
    let masked = ["jina-v2-de", "jina-v2-es", "jina-v2-code"].iter().any(|part| holds(pre, part))
        || ["nomic-bert-moe", "jina-bert-v3"].iter().any(|part| holds(architecture, part));
    let name = match facts.get("general.name") {
        Some(Value::String(name)) => until_nul(name.0).to_ascii_lowercase(),
        _ => return Ok(()),
    };
    if masked || !(holds(&name, "phi-3") || holds(&name, "phi3")) {
        return Ok(());
    }
    let has = |token: &str| facts.vocabulary().is_none_or(|tokens| tokens.find(token.as_bytes()).is_some());
    match OF_PHI3.into_iter().find(|token| !has(token)) {
        None => Ok(()),
        Some(token) => Err(Stop::Refused {
            why: format!("general.name tells of a Phi 3, and the vocabulary has no {token}"),
            rule: None,
            key: "general.name".to_owned(),
        }),
    }
}

fn key(suffix: &str) -> String {
    format!("tokenizer.ggml.{suffix}")
}

fn place<'a>(facts: &Facts<'a>, suffix: &str) -> Option<Place<'a, Kv>> {
    facts.key(key(suffix))
}

/// An array of one of these types.
fn array<'a>(place: &Place<'a, Kv>, types: &[ValueType]) -> Option<ArrayRef<'a>> {
    match place.part.view.value(place.record) {
        Value::Array(array) if types.contains(&array.element_type()) => Some(array),
        _ => None,
    }
}

/// A value that is read where it is there, and then has to be of this type.
fn typed<'a>(facts: &Facts<'a>, suffix: &str, ty: ValueType) -> Result<Option<Value<'a>>, Stop> {
    let Some(place) = place(facts, suffix) else { return Ok(None) };
    if place.record.value_type != ty {
        let why = format!("{} is of another type than {ty}", key(suffix));
        return Err(Stop::Refused { why, rule: None, key: key(suffix) });
    }
    Ok(Some(place.part.view.value(place.record)))
}

/// Text as C reads it.
fn text<'a>(facts: &Facts<'a>, suffix: &str) -> Result<Option<&'a [u8]>, Stop> {
    Ok(match typed(facts, suffix, ValueType::STRING)? {
        Some(Value::String(text)) => Some(until_nul(text.0)),
        _ => None,
    })
}

fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn refused(suffix: &str, rule: &'static str, why: &str) -> Stop {
    Stop::Refused { why: why.to_owned(), rule: Some(rule), key: key(suffix) }
}

/// A key that is not there, unless the head was not read to its end.
fn absent(facts: &Facts<'_>, suffix: &str, rule: &'static str) -> Stop {
    match facts.is_complete() {
        true => refused(suffix, rule, &format!("there is no {}", key(suffix))),
        false => Stop::Unsure,
    }
}
