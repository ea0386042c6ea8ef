//! The words that names are made of: what a size label, a version, a piece of a base name looks like.
//!
//! Each function looks at one word once, from left to right. The strict ones are the corresponding pieces of the
//! convention's regular expression, with the meaning that JavaScript (the language of its example program) gives to
//! `\d`, `\w` and `\s`: the first two ASCII only, the last Unicode.

/// `\s` as JavaScript has it.
pub(super) const fn is_space(c: char) -> bool {
    matches!(c,
        '\t'..='\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}'
        | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}')
}

/// `[A-Za-z0-9\s]`, the characters of base names and fine-tunes (beside the `-` between their words).
pub(super) const fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_space(c)
}

/// Whether every character may stand in a base name or a fine-tune. True for the empty word.
pub(super) fn is_plain_word(word: &str) -> bool {
    word.chars().all(is_plain)
}

/// A word of a base name after the first: `[A-Za-z\s][A-Za-z0-9\s]*` or `[0-9\s]*`. So `3` and `Llama3` may stand
/// there, and `3n` may not, which is how the pattern keeps size labels out of base names.
pub(super) fn is_later_base_word(word: &str) -> bool {
    match word.chars().next() {
        Some(c) if c.is_ascii_alphabetic() || is_space(c) => {
            // A word that begins with a space and goes on with digits is both; either way every character is plain.
            is_plain_word(word)
        }
        _ => word.chars().all(|c| c.is_ascii_digit() || is_space(c)),
    }
}

/// The digits at the start of a word, and what follows.
fn split_digits(word: &str) -> (&str, &str) {
    split_while(word, u8::is_ascii_digit)
}

/// The run of bytes at the start of a word that satisfy `test` (ASCII only), and what follows.
fn split_while(word: &str, test: impl Fn(&u8) -> bool) -> (&str, &str) {
    let end = word.bytes().position(|b| !b.is_ascii() || !test(&b)).unwrap_or(word.len());
    word.split_at_checked(end).unwrap_or((word, ""))
}

/// `(?:\d+\.)?\d+` at the start of a word: what follows it.
fn after_number(word: &str) -> Option<&str> {
    let (whole, rest) = split_digits(word);
    if whole.is_empty() {
        return None;
    }
    if let Some(after_dot) = rest.strip_prefix('.') {
        let (fraction, tail) = split_digits(after_dot);
        if !fraction.is_empty() {
            return Some(tail);
        }
    }
    Some(rest)
}

/// `(?:\d+x)?(?:\d+\.)?\d+[A-Za-z]`, the first word of a size label. Returns its scale letter.
pub(super) fn size_scale(word: &str) -> Option<char> {
    let (experts, rest) = split_digits(word);
    let count = match rest.strip_prefix('x') {
        // `8x` alone is a number with the "scale" x, which the pattern allows: only experts when a number follows.
        Some(count) if !experts.is_empty() && !count.is_empty() => count,
        _ => word,
    };
    let mut scale = after_number(count)?.chars();
    match (scale.next(), scale.next()) {
        (Some(c), None) if c.is_ascii_alphabetic() => Some(c),
        _ => None,
    }
}

/// `[A-Za-z]+(\d+\.)?\d+[A-Za-z]+`, the second word of a size label, such as `A3B` or `ContextLength4k`.
pub(super) fn is_size_attribute(word: &str) -> bool {
    let (name, rest) = split_while(word, u8::is_ascii_alphabetic);
    !name.is_empty()
        && after_number(rest).is_some_and(|unit| {
            let (letters, tail) = split_while(unit, u8::is_ascii_alphabetic);
            !letters.is_empty() && tail.is_empty()
        })
}

/// `v\d+(?:\.\d+)*`.
pub(super) fn is_version(word: &str) -> bool {
    word.strip_prefix('v').is_some_and(is_dotted_number)
}

/// A version as people also write it: `V` for `v`.
pub(super) fn is_loose_version(word: &str) -> bool {
    word.strip_prefix(['v', 'V']).is_some_and(is_dotted_number)
}

/// `\d+(?:\.\d+)*`.
pub(super) fn is_dotted_number(word: &str) -> bool {
    !word.is_empty() && word.split('.').all(|run| !run.is_empty() && run.bytes().all(|b| b.is_ascii_digit()))
}

/// `(?!LoRA|vocab)[\w_]+`, the pattern's encoding: any word at all that does not begin like a type.
pub(super) fn is_pattern_encoding(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with("LoRA")
        && !word.starts_with("vocab")
        && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Five digits, as both numbers of a conventional shard have.
pub(super) fn five_digits(word: &str) -> Option<u32> {
    if word.len() == 5 { decimal(word) } else { None }
}

/// A decimal number without sign that fits `u32`.
pub(super) fn decimal(word: &str) -> Option<u32> {
    // `u32::from_str` would let a `+` pass.
    if word.bytes().all(|b| b.is_ascii_digit()) { word.parse().ok() } else { None }
}
