//! Rules that a user gives: `REGEX=TYPE`, one by one or as a text of many.

use std::fmt;
use std::sync::OnceLock;

use ggufkit_format::spec::TensorType;
use ggufkit_format::{Escaped, is_safe};
use regex::bytes::{Regex, RegexBuilder};

use super::table::Mixture;

/// Bytes that a compiled pattern may take, and as many again while it is searched for.
const LIMIT: usize = 1 << 16;

/// Bytes of a pattern's text.
const LONGEST: usize = 8 << 10;

/// Rules of a text at most: each takes some memory, and is asked about every tensor.
const MOST: usize = 4_000;

/// What some editors put before a text.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// A regular expression over names, found anywhere in them unless it is tied to `^` and `$`.
#[derive(Clone, Debug)]
pub struct Pattern {
    text: String,
    /// Compiled when it is needed: to be printed it needs not be.
    regex: OnceLock<Option<Regex>>,
}

/// Why a text is no pattern.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PatternError(String);

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PatternError {}

impl Pattern {
    /// The pattern of a text.
    ///
    /// # Errors
    /// It is no regular expression, or one that is too large.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        if text.len() > LONGEST {
            return Err(PatternError(format!("it is longer than {LONGEST} bytes")));
        }
        match compile(text) {
            Ok(regex) => Ok(Self { text: text.to_owned(), regex: Some(regex).into() }),
            Err(regex::Error::CompiledTooBig(_)) => Err(PatternError("the pattern is too large".to_owned())),
            // The last line says what is wrong; those before it draw where.
            Err(other) => {
                let text = other.to_string();
                let last = text.lines().last().unwrap_or_default();
                Err(PatternError(last.strip_prefix("error: ").unwrap_or(last).to_owned()))
            }
        }
    }

    /// A pattern that is known to be one.
    pub(super) fn made(text: String) -> Self {
        debug_assert!(compile(&text).is_ok(), "{text}");
        Self { text, regex: OnceLock::new() }
    }

    /// The pattern that was probably meant, where the text looks like one of a shell (`attn_*`): as a regular expression it is
    /// something else.
    #[must_use]
    pub fn meant(&self) -> Option<String> {
        meant(&self.text)
    }

    /// Whether it is in a name.
    #[must_use]
    pub fn is_in(&self, name: &[u8]) -> bool {
        self.regex.get_or_init(|| compile(&self.text).ok()).as_ref().is_some_and(|regex| regex.is_match(name))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

fn meant(text: &str) -> Option<String> {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-".contains(byte);
    if !text.bytes().all(|byte| is_plain(&byte) || b".*?".contains(&byte)) {
        return None;
    }
    // A star that repeats a letter, or nothing, is none of a regular expression's, as a rule.
    let is_shell = text.bytes().enumerate().any(|(at, byte)| {
        let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        byte == b'*' && before.is_none_or(|before| is_plain(before) || *before == b'*')
    });
    let inner = text.trim_matches('*');
    if !is_shell || inner.is_empty() {
        return None;
    }
    let mut out = String::new();
    for c in inner.chars() {
        match c {
            '*' => out.push_str(".*"),
            '?' => out.push('.'),
            '.' => out.push_str("[.]"),
            other => out.push(other),
        }
    }
    Some(out)
}

fn compile(text: &str) -> Result<Regex, regex::Error> {
    // Names are bytes; what is a letter is not asked.
    RegexBuilder::new(text).unicode(false).size_limit(LIMIT).dfa_size_limit(LIMIT).build()
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

/// A type for the tensors whose names have a pattern.
#[derive(Clone, PartialEq, Debug)]
pub struct Rule {
    /// Which tensors.
    pub pattern: Pattern,
    /// Their type.
    pub tensor_type: TensorType,
}

/// Why a text is no rule.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RuleError {
    /// There is no `=`, or nothing before it or behind it.
    Form(String),
    /// The pattern is none.
    Pattern(String, PatternError),
    /// No type has that name.
    Type(String),
    /// Nothing is written as that type.
    NoEncoding(TensorType),
    /// There are more rules than anybody needs.
    TooMany,
}

impl fmt::Display for RuleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form(text) => {
                write!(f, "'{}' is no rule: write REGEX=TYPE, as in attn_v=Q8_0", Quoted(text))
            }
            Self::Pattern(text, error) => {
                write!(f, "'{}' is no regular expression: {error}", Quoted(text))?;
                match meant(text) {
                    Some(meant) => write!(f, "; '{meant}' is all that has it in its name"),
                    None => Ok(()),
                }
            }
            Self::Type(text) => {
                match Mixture::of_name(text).filter(|one| one.name.eq_ignore_ascii_case(text)) {
                    Some(one) => write!(
                        f,
                        "'{}' is a mixture, and no tensor type: most of its tensors are {}",
                        Quoted(text),
                        one.base
                    ),
                    None => write!(f, "'{}' is no tensor type", Quoted(text)),
                }
            }
            Self::NoEncoding(ty) => write!(f, "{ty} is not written, only read"),
            Self::TooMany => write!(f, "there are more than {MOST} rules"),
        }
    }
}

impl std::error::Error for RuleError {}

/// A text as it was written, so that it can be copied: what would act on a terminal is escaped, and of a long one the beginning is
/// there.
pub(super) struct Quoted<'a>(pub(super) &'a str);

/// Characters of a text that are quoted.
const QUOTED: usize = 100;

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars().take(QUOTED) {
            match is_safe(c) {
                true => fmt::Write::write_char(f, c)?,
                false => write!(f, "{}", Escaped(c.encode_utf8(&mut [0; 4]).as_bytes()))?,
            }
        }
        if self.0.chars().nth(QUOTED).is_some() { f.write_str("…") } else { Ok(()) }
    }
}

impl Rule {
    /// A rule as it is written: `REGEX=TYPE`; the type stands behind the last `=`.
    ///
    /// # Errors
    /// See [`RuleError`].
    pub fn parse(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        let form = || RuleError::Form(text.to_owned());
        let (pattern, ty) = text.rsplit_once('=').ok_or_else(form)?;
        let (pattern, ty) = (pattern.trim(), ty.trim());
        if pattern.is_empty() || ty.is_empty() {
            return Err(form());
        }
        let compiled =
            Pattern::new(pattern).map_err(|error| RuleError::Pattern(pattern.to_owned(), error))?;
        Ok(Self { pattern: compiled, tensor_type: Self::type_named(ty)? })
    }

    /// A type that tensors can be written as.
    ///
    /// # Errors
    /// No type has the name, or nothing is written as it.
    pub fn type_named(name: &str) -> Result<TensorType, RuleError> {
        let ty = TensorType::from_name(name).ok_or_else(|| RuleError::Type(name.to_owned()))?;
        let can = ggufkit_quant::codec(ty).is_some_and(|codec| codec.can_encode());
        if can { Ok(ty) } else { Err(RuleError::NoEncoding(ty)) }
    }

    /// Rules of a text: one in a line or several with space between; from `#` at the beginning of a word on a line is a remark.
    ///
    /// # Errors
    /// The number of the line, from 1, and what is wrong there.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, (usize, RuleError)> {
        let mut rules = Vec::new();
        for (number, line) in (1_usize..).zip(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text).lines()) {
            for word in line.split_whitespace().take_while(|word| !word.starts_with('#')) {
                if rules.len() >= MOST {
                    return Err((number, RuleError::TooMany));
                }
                rules.push(Self::parse(word).map_err(|error| (number, error))?);
            }
        }
        Ok(rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_what_is_none_is_named() {
        let rules =
            Rule::parse_all("# all\nattn_v=q8_0 ffn_down\\.weight$=Q6_K # the rest\n\nx{2,3}=F16").unwrap();
        let shown: Vec<_> = rules.iter().map(|rule| (rule.pattern.as_str(), rule.tensor_type)).collect();
        let expected = [
            ("attn_v", TensorType::Q8_0),
            ("ffn_down\\.weight$", TensorType::Q6_K),
            ("x{2,3}", TensorType::F16),
        ];
        assert_eq!(shown, expected);
        assert!(
            rules[0].pattern.is_in(b"blk.0.attn_v.weight") && !rules[1].pattern.is_in(b"ffn_down.weight.x")
        );
        for (text, said) in [
            ("attn", "no rule"),
            ("=Q8_0", "no rule"),
            ("a=", "no rule"),
            ("a=Q9_9", "no tensor type"),
            ("a=q4_k_m", "'q4_k_m' is a mixture, and no tensor type: most of its tensors are Q4_K"),
            ("a=15", "'15' is no tensor type"),
            ("a=I32", "only read"),
            ("(=Q8_0", "unclosed group"),
            ("a{1000}{1000}=Q8_0", "too large"),
            ("(\\w\u{1b}[=Q8_0", "'(\\w\\x1b[' is no"),
            ("*attn.v*=Q8_0", "'attn[.]v' is all that has it in its name"),
        ] {
            let error = Rule::parse(text).unwrap_err().to_string();
            assert!(error.contains(said), "{text}: {error}");
        }
        assert_eq!(Rule::parse_all("a=Q8_0\nb").unwrap_err().0, 2);
        let long = Rule::parse(&"x".repeat(5000)).unwrap_err().to_string();
        assert!(long.len() < 200 && long.contains("x…' is no rule"), "{long}");
        // What is written as for a shell.
        for (text, meant) in [
            ("attn_*", Some("attn_")),
            ("blk.*.ffn_*_exps*", Some("blk[.].*[.]ffn_.*_exps")),
            ("attn_.*", None),
            ("blk.*", None),
            ("(attn_v*)", None),
            ("attn", None),
            ("x?", None),
        ] {
            assert_eq!(Pattern::new(text).unwrap().meant().as_deref(), meant, "{text}");
        }
        // What an editor puts before a text is no part of the first pattern.
        assert_eq!(Rule::parse_all("\u{feff}a=Q8_0").unwrap(), Rule::parse_all("a=Q8_0").unwrap());
    }
}
