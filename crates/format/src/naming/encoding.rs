//! The encodings that names in the wild mention, and their usual spelling.
//!
//! The pattern of the convention takes any word for an encoding. To find one in a name that leaves out the version, the
//! reader must know what encodings look like. They are described as short runs of words rather than listed, because
//! publishers vary them freely: `Q4_K_M`, `q4-k-m`, `Q4_KM`, `q4km`, `UD-Q4_K_XL`, `i1-IQ3_XXS`, `Q4_K_M-imat`,
//! `f16.q6_k`, `Q3_K_S-2.70bpw`.
//!
//! Known: the file types of llama.cpp (present and retired), the sizes that publishers add (`_XS`, `_L`, `_XL`, `_XXL`),
//! the types and repacked rows of `ik_llama.cpp` (`IQ4_KSS`, `Q4_K_R4`), and the number formats of other ecosystems that
//! appear in names of GGUF files (`FP8`, `NF4`, `4bit`).

use alloc::string::String;
use core::str::Split;

/// What stands between the words of an encoding.
const SEPARATORS: [char; 4] = ['-', '.', '_', ' '];

/// The longest text that is considered for an encoding, in bytes. The longest seen in the wild has 30.
pub(super) const MAX_LEN: usize = 48;

/// Words that publishers put around an encoding: made with unsloth's dynamic recipe, made with an importance matrix,
/// without exceptions for single tensors.
const MARKS: [&str; 5] = ["UD", "I1", "IMAT", "IMATRIX", "PURE"];

/// Whether a text, as a whole, names a weight encoding in a spelling that is seen in the wild.
///
/// ```
/// # use ggufkit_format::naming::is_known_encoding;
/// assert!(is_known_encoding("Q4_K_M"));
/// assert!(is_known_encoding("UD-q4_k_xl"));
/// assert!(!is_known_encoding("Instruct"));
/// ```
#[must_use]
pub fn is_known_encoding(text: &str) -> bool {
    text.len() <= MAX_LEN && read(text, |_, _| ()).is_some()
}

/// The usual spelling: see [`super::NameParts::canonical_encoding`].
pub(super) fn canonical(text: &str) -> String {
    let mut out = String::new();
    let push = |out: &mut String, word: &str, glue: bool| {
        if !glue && !out.is_empty() {
            out.push('_');
        }
        out.push_str(&word.to_ascii_uppercase());
    };
    let known = read(text, |word, role| match role {
        Role::Mark => {}
        Role::Float(bits) => push(&mut out, bits, false),
        Role::Word => push(&mut out, word, false),
        Role::Glued(head, tail) => {
            push(&mut out, head, false);
            push(&mut out, tail, false);
        }
        Role::GluedK(head, tail) => {
            push(&mut out, head, false);
            push(&mut out, "K", false);
            push(&mut out, tail, false);
        }
    });
    if known.is_none() {
        return text.to_ascii_uppercase();
    }
    out
}

/// Whether an encoding is spelled in the usual case. Marks such as `i1` are free.
pub(super) fn is_upper_case(text: &str) -> bool {
    let mut upper = true;
    let known = read(text, |word, role| {
        upper &= matches!(role, Role::Mark) || !word.bytes().any(|b| b.is_ascii_lowercase());
    });
    if known.is_some() { upper } else { !text.bytes().any(|b| b.is_ascii_lowercase()) }
}

/// What a word of an encoding is.
enum Role<'w> {
    /// A mark around the encoding, or the bits per weight after it.
    Mark,
    /// A word that is written as it stands.
    Word,
    /// A floating-point format under an alias: the usual name.
    Float(&'static str),
    /// Two words written as one.
    Glued(&'w str, &'w str),
    /// Two words written as one, the `K` between them included: `Q4KM`, `KM` after `Q4`.
    GluedK(&'w str, &'w str),
}

/// Reads the words of a text as marks and encodings, telling `seen` each; nothing when some word is neither.
fn read<'t>(text: &'t str, mut seen: impl FnMut(&'t str, Role<'t>)) -> Option<()> {
    let mut words = Words { rest: text.split(SEPARATORS), peeked: None };
    let mut encodings = 0_usize;
    // A mark may lead, but must not end what it announces: `i1` alone is no encoding.
    while let Some(word) = words.next() {
        if is_any(word, &MARKS) || (encodings > 0 && is_bits_per_weight(word, &mut words)) {
            seen(word, Role::Mark);
            continue;
        }
        encodings = encodings.saturating_add(1);
        read_core(word, &mut words, &mut seen)?;
    }
    (encodings > 0).then_some(())
}

/// One encoding, whose first word is `word`.
fn read_core<'t>(
    word: &'t str,
    words: &mut Words<'t>,
    seen: &mut impl FnMut(&'t str, Role<'t>),
) -> Option<()> {
    if let Some(usual) = float_name(word) {
        seen(word, Role::Float(usual));
        words.skip_if(|w| is_any(w, &["E4M3", "E4M3FN", "E5M2", "SCALED"]), |w| seen(w, Role::Word));
        return Some(());
    }
    if is_any(word, &["MXFP4", "MXFP6", "MXFP8", "NVFP4", "NF4", "INT4", "INT8", "FP4"]) || is_bits(word) {
        seen(word, Role::Word);
        words.skip_if(|w| is_any(w, &["MOE"]), |w| seen(w, Role::Word));
        return Some(());
    }
    let (family, after) = family(word)?;
    match (family, after) {
        (Family::T, "") => {
            seen(word, Role::Word);
            words.skip_if(|w| w == "0", |w| seen(w, Role::Word)).then_some(())
        }
        (Family::T, _) => None,
        (Family::Q, "") => {
            seen(word, Role::Word);
            read_q(words, seen);
            Some(())
        }
        (Family::Q, _) if is_any(after, &["K", "KS", "KM", "KL"]) => {
            let head = word.get(..word.len().checked_sub(after.len())?)?;
            match after.get(1..) {
                Some("") | None => {
                    seen(word, Role::Glued(head, after));
                    words.skip_if(|w| is_any(w, &SIZES), |w| seen(w, Role::Word));
                }
                Some(size) => seen(word, Role::GluedK(head, size)),
            }
            Some(())
        }
        (Family::Q, _) => None,
        (Family::Iq, "") => {
            seen(word, Role::Word);
            if words.skip_if(|w| is_any(w, &IQ_KINDS), |w| seen(w, Role::Word)) {
                read_rows(words, seen);
            }
            Some(())
        }
        (Family::Iq, _) if is_any(after, &IQ_KINDS) => {
            let head = word.get(..word.len().checked_sub(after.len())?)?;
            seen(word, Role::Glued(head, after));
            Some(())
        }
        (Family::Iq, _) => None,
    }
}

/// What follows `Q4`.
fn read_q<'t>(words: &mut Words<'t>, seen: &mut impl FnMut(&'t str, Role<'t>)) {
    if words.skip_if(|w| w == "0" || w == "1" || is_any(w, &["KV"]), |w| seen(w, Role::Word)) {
        words.skip_if(|w| is_any(w, &["L", "XL"]), |w| seen(w, Role::Word));
        read_rows(words, seen);
    } else if words.skip_if(|w| is_any(w, &["K"]), |w| seen(w, Role::Word)) {
        words.skip_if(|w| is_any(w, &SIZES), |w| seen(w, Role::Word));
        read_rows(words, seen);
    } else {
        words.skip_if(
            |w| is_any(w, &["KS", "KM", "KL"]),
            |w| seen(w, Role::Glued(w.get(..1).unwrap_or(w), w.get(1..).unwrap_or(""))),
        );
    }
}

/// Rows interleaved for the processor: `_4_4`, `_4_8`, `_8_8` of old llama.cpp, `_R4` to `_R16` of `ik_llama.cpp`.
fn read_rows<'t>(words: &mut Words<'t>, seen: &mut impl FnMut(&'t str, Role<'t>)) {
    if words.skip_if(|w| w == "4" || w == "8", |w| seen(w, Role::Word)) {
        words.skip_if(|w| w == "4" || w == "8", |w| seen(w, Role::Word));
    } else {
        words.skip_if(|w| is_any(w, &["R4", "R8", "R16"]), |w| seen(w, Role::Word));
    }
}

/// The sizes after `K`.
const SIZES: [&str; 7] = ["XXS", "XS", "S", "M", "L", "XL", "XXL"];

/// What follows `IQ4`.
const IQ_KINDS: [&str; 13] = ["XXS", "XS", "S", "M", "L", "XL", "XXL", "NL", "K", "KS", "KSS", "KL", "KT"];

#[derive(Clone, Copy)]
enum Family {
    Q,
    Iq,
    T,
}

/// `Q4`, `IQ4`, `TQ1` at the start of a word, and what follows.
fn family(word: &str) -> Option<(Family, &str)> {
    let (family, rest) = match word.as_bytes() {
        [b'i' | b'I', b'q' | b'Q', ..] => (Family::Iq, word.get(2..)?),
        [b't' | b'T', b'q' | b'Q', ..] => (Family::T, word.get(2..)?),
        [b'q' | b'Q', ..] => (Family::Q, word.get(1..)?),
        _ => return None,
    };
    match rest.as_bytes() {
        [b'1'..=b'8', ..] => Some((family, rest.get(1..)?)),
        _ => None,
    }
}

/// The usual name of a floating-point format.
fn float_name(word: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 11] = [
        ("F64", "F64"),
        ("FP64", "F64"),
        ("F32", "F32"),
        ("FP32", "F32"),
        ("F16", "F16"),
        ("FP16", "F16"),
        ("BF16", "BF16"),
        ("F8", "FP8"),
        ("FP8", "FP8"),
        ("FLOAT16", "F16"),
        ("FLOAT32", "F32"),
    ];
    NAMES.iter().find(|(alias, _)| word.eq_ignore_ascii_case(alias)).map(|(_, usual)| *usual)
}

/// `4bit`.
fn is_bits(word: &str) -> bool {
    matches!(word.as_bytes(), [b'1'..=b'8', b'b' | b'B', b'i' | b'I', b't' | b'T'])
}

/// `4bpw`, or `2.70bpw`, whose dot has split it in two.
fn is_bits_per_weight(word: &str, words: &mut Words<'_>) -> bool {
    let is_digits = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit());
    let is_rate = |w: &str| {
        let digits = w.len().checked_sub(3).and_then(|n| w.split_at_checked(n));
        digits.is_some_and(|(digits, unit)| is_digits(digits) && unit.eq_ignore_ascii_case("bpw"))
    };
    is_rate(word) || (is_digits(word) && words.skip_if(is_rate, |_| ()))
}

/// Whether a word is one of some upper-case words, whatever its case.
fn is_any(word: &str, known: &[&str]) -> bool {
    known.iter().any(|k| word.eq_ignore_ascii_case(k))
}

/// The words of a text with one to look at ahead.
struct Words<'t> {
    rest: Split<'t, [char; 4]>,
    peeked: Option<&'t str>,
}

impl<'t> Words<'t> {
    fn next(&mut self) -> Option<&'t str> {
        self.peeked.take().or_else(|| self.rest.next())
    }

    /// Takes the next word when it passes the test, and says whether it did.
    fn skip_if(&mut self, test: impl Fn(&str) -> bool, then: impl FnOnce(&'t str)) -> bool {
        match self.next() {
            Some(word) if test(word) => {
                then(word);
                true
            }
            other => {
                self.peeked = other;
                false
            }
        }
    }
}
