//! Elements of a vocabulary's arrays that are named by their token: `tokenizer.ggml.token_type[<s>]`.

use std::path::Path;

use ggufkit::inspect::query::Query;
use ggufkit::io::lookup;

use crate::args::ReadArgs;
use crate::commands::edit::BY_TOKEN;
use crate::frame;

const TOKENS: &[u8] = b"tokenizer.ggml.tokens";

/// The key and the token of a question that names one.
fn named(query: &Query) -> Option<(&'static [u8], &[u8])> {
    // Brackets that hold a position have been taken for one.
    let text = query.text();
    (query.key() == text).then_some(())?;
    BY_TOKEN
        .into_iter()
        .find_map(|key| Some((key, text.strip_prefix(key)?.strip_prefix(b"[")?.strip_suffix(b"]")?)))
}

/// The questions with the positions of the tokens in these files, in the place of their texts; `None` where none is named.
/// A token that is not there stays as it is, and is no key.
pub(super) fn resolved(queries: &[Query], paths: &[&Path], read: &ReadArgs) -> Option<Vec<Query>> {
    let tokens: Vec<&[u8]> = queries.iter().filter_map(|query| Some(named(query)?.1)).collect();
    if tokens.is_empty() {
        return None;
    }
    let mut places: Vec<Option<u64>> = vec![None; tokens.len()];
    for path in paths {
        // What cannot be read is told where the answer is looked for.
        let Ok(source) = frame::source(path) else { continue };
        let looked = lookup(&source, read.options(), &mut |key| key == TOKENS);
        let Some(found) = looked.ok().and_then(|looked| looked.found) else { continue };
        let index = found.index();
        let view = found.view(&index);
        let array = index.kvs().first().and_then(|kv| view.value(kv).as_array());
        for (at, text) in (0_u64..).zip(array.iter().flat_map(|array| array.iter())) {
            for (token, place) in tokens.iter().zip(&mut places) {
                if place.is_none() && text.as_bytes() == Some(token) {
                    *place = Some(at);
                }
            }
        }
        break;
    }
    let mut places = places.into_iter();
    let with = |query: &Query| match named(query) {
        Some((key, _)) => match places.next().flatten() {
            Some(at) => Query::new(&[key, format!("[{at}]").as_bytes()].concat()),
            None => query.clone(),
        },
        None => query.clone(),
    };
    Some(queries.iter().map(with).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_no_position_is_a_token() {
        let of = |text: &str| named(&Query::new(text.as_bytes())).map(|(_, token)| token.to_vec());
        assert_eq!(of("tokenizer.ggml.token_type[<s>]"), Some(b"<s>".to_vec()));
        assert_eq!(of("tokenizer.ggml.scores[[INST]]"), Some(b"[INST]".to_vec()));
        assert_eq!(of("tokenizer.ggml.tokens[3]"), None);
        assert_eq!(of("tokenizer.ggml.tokens[-1]"), None);
        assert_eq!(of("tokenizer.ggml.merges[<s>]"), None);
    }
}
