//! Options that several commands share: what was typed, and what it means.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use clap::{Args, builder::PossibleValuesParser};
use ggufkit::format::{Dialect, Limits, Options};
use ggufkit::io::Expand;

/// Which files.
#[derive(Args, Debug, Clone)]
pub(crate) struct InputArgs {
    /// Files, directories, a member of a shard set, or `-` for standard input
    #[arg(value_name = "FILE", required_unless_present = "files_from")]
    pub(crate) files: Vec<OsString>,
    #[command(flatten)]
    pub(crate) how: HowArgs,
}

/// How names become files.
#[derive(Args, Debug, Clone, Default)]
pub(crate) struct HowArgs {
    /// Read more names from this file, one a line (`-`: standard input)
    #[arg(long, value_name = "LIST", help_heading = "Input")]
    pub(crate) files_from: Option<OsString>,
    /// Look into the folders of a directory too
    #[arg(long, short = 'r', help_heading = "Input")]
    pub(crate) recursive: bool,
    /// Take each shard as a file of its own
    #[arg(long, help_heading = "Input")]
    pub(crate) alone: bool,
}

impl HowArgs {
    pub(crate) fn expand(&self) -> Expand {
        let mut how = Expand::default();
        how.files_from = self.files_from.clone();
        how.recursive = self.recursive;
        how.alone = self.alone;
        how
    }
}

/// How many threads work on data.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct ThreadArgs {
    /// Threads that work on the data (default: as many as there are processors)
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZeroUsize>,
}

impl ThreadArgs {
    /// So many as were asked for, or as there are processors.
    pub(crate) fn count(self) -> NonZeroUsize {
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok());
        threads.unwrap_or(NonZeroUsize::MIN)
    }
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "a number from 1 on is needed".to_owned())
}

/// How a head is read.
#[derive(Args, Debug, Clone, Copy)]
pub(crate) struct ReadArgs {
    /// The GGUF begins at this position of the file (0x… for hexadecimal)
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = number, help_heading = "Reading", hide_default_value = true)]
    pub(crate) offset: u64,
    /// Read a mis-written layout (see `gguf explain dialects`)
    #[arg(long, value_name = "NAME", value_parser = dialect_parser(), help_heading = "Reading")]
    pub(crate) dialect: Option<DialectArg>,
    /// Limit on the head's size in bytes (default 1073741824, 1 GiB)
    #[arg(long, value_name = "BYTES", value_parser = number, help_heading = "Limits")]
    pub(crate) max_head: Option<u64>,
    /// Limit on the number of key-values (default 1048576)
    #[arg(long, value_name = "N", value_parser = number, help_heading = "Limits")]
    pub(crate) max_kv: Option<u64>,
    /// Limit on the number of tensors (default 1048576)
    #[arg(long, value_name = "N", value_parser = number, help_heading = "Limits")]
    pub(crate) max_tensors: Option<u64>,
    /// Limit on the length of a string in bytes (default 1073741824, 1 GiB)
    #[arg(long, value_name = "BYTES", value_parser = number, help_heading = "Limits")]
    pub(crate) max_string: Option<u64>,
    /// Limit on the number of elements of an array (default 1073741824)
    #[arg(long, value_name = "N", value_parser = number, help_heading = "Limits")]
    pub(crate) max_array: Option<u64>,
    /// Limit on arrays inside arrays (default 16)
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_depth: Option<u32>,
    /// Whether the command reads at any position, which no pipe can be.
    #[arg(skip)]
    pub(crate) anywhere: bool,
}

/// A dialect by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DialectArg(pub(crate) Dialect);

fn dialect_parser() -> impl clap::builder::TypedValueParser<Value = DialectArg> {
    use clap::builder::TypedValueParser as _;
    let names = core::iter::once("standard").chain(Dialect::CANDIDATES.iter().map(|(name, _)| *name));
    PossibleValuesParser::new(names).map(|name| DialectArg(Dialect::from_name(&name).unwrap_or_default()))
}

/// A number, decimal or after 0x hexadecimal; `_` may part the digits.
pub(crate) fn number(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    let parsed = match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    parsed.map_err(|error| error.to_string())
}

/// A size in bytes: `123456`, `500MB`, `2G` (decimal), `2GiB` (binary), `1.5GiB`.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(text.len());
    let (digits, unit) = text.split_at(unit_at);
    let unit = unit.trim().to_ascii_lowercase();
    let step: u128 = if unit.ends_with("ib") { 1024 } else { 1000 };
    let letter = unit.trim_end_matches("ib").trim_end_matches('b');
    let power = match letter {
        "" if unit != "ib" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => {
            return Err(format!(
                "{unit:?} is no unit: B, KB, MB, GB, TB (decimal), KiB, MiB, GiB, TiB (binary)"
            ));
        }
    };
    let digits = digits.replace('_', "");
    let (whole, part) = digits.split_once('.').unwrap_or((&digits, ""));
    let too_large = || "that is more than any file has".to_owned();
    let all: u128 =
        format!("{whole}{part}").parse().map_err(|_| "not a size: 2G, 2GiB, 500MB, 123456".to_owned())?;
    let parts = u32::try_from(part.len()).ok().and_then(|n| 10_u128.checked_pow(n)).ok_or_else(too_large)?;
    let bytes = all.checked_mul(step.pow(power)).ok_or_else(too_large)? / parts;
    u64::try_from(bytes).map_err(|_| too_large())
}

/// A number, or all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Amount(pub(crate) Option<u64>);

/// `7`, or `all`.
pub(crate) fn amount(text: &str) -> Result<Amount, String> {
    match text {
        "all" => Ok(Amount(None)),
        _ => number(text).map(|n| Amount(Some(n))).map_err(|_| "not a number and not `all`".to_owned()),
    }
}

/// `7`, `0x40`, `0x40..0x80` or `0x40..+16`: the first number and the one after the last.
pub(crate) fn range(text: &str) -> Result<(u64, u64), String> {
    let (from, to) = match text.split_once("..") {
        None => (number(text)?, number(text)?.saturating_add(1)),
        Some((from, "")) => (number(from)?, u64::MAX),
        Some((from, len)) if len.starts_with('+') => {
            let (from, len) = (number(from)?, number(len.trim_start_matches('+'))?);
            (from, from.saturating_add(len))
        }
        Some((from, to)) => (number(from)?, number(to)?),
    };
    if to <= from { Err("the range is empty".to_owned()) } else { Ok((from, to)) }
}

impl ReadArgs {
    /// The defaults, for a command that has no such options.
    pub(crate) fn standard() -> Self {
        Self {
            offset: 0,
            dialect: None,
            max_head: None,
            max_kv: None,
            max_tensors: None,
            max_string: None,
            max_array: None,
            max_depth: None,
            anywhere: false,
        }
    }

    /// The same for a command that reads at any position where `so`: what can only be read in order is refused before anybody
    /// waits for it.
    pub(crate) fn anywhere(self, so: bool) -> Self {
        Self { anywhere: so, ..self }
    }

    /// The reading that was asked for.
    pub(crate) fn options(&self) -> Options {
        let mut limits = Limits::default();
        limits.max_head = self.max_head.unwrap_or(limits.max_head);
        limits.max_kv = self.max_kv.unwrap_or(limits.max_kv);
        limits.max_tensors = self.max_tensors.unwrap_or(limits.max_tensors);
        limits.max_string = self.max_string.unwrap_or(limits.max_string);
        limits.max_array = self.max_array.unwrap_or(limits.max_array);
        limits.max_depth = self.max_depth.unwrap_or(limits.max_depth);
        let dialect = self.dialect.map_or(Dialect::STANDARD, |d| d.0);
        Options::new().with_base(self.offset).with_limits(limits).with_dialect(dialect)
    }
}

impl InputArgs {
    /// Whether there may be several inputs, so that each is named in the answer.
    pub(crate) fn are_several(&self) -> bool {
        self.files.len() > 1 || self.how.files_from.is_some() || self.how.recursive
    }
}

pub(crate) fn layers(text: &str) -> Result<RangeInclusive<u64>, String> {
    let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{text:?} is no layer"));
    let (from, to) = match text.split_once("..") {
        None => (number(text)?, number(text)?),
        Some((from, to)) => (
            if from.is_empty() { 0 } else { number(from)? },
            if to.is_empty() { u64::MAX } else { number(to.strip_prefix('=').unwrap_or(to))? },
        ),
    };
    if from > to { Err(format!("{from} is behind {to}")) } else { Ok(from..=to) }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[derive(clap::Parser)]
    struct Alone {
        #[command(flatten)]
        read: ReadArgs,
    }

    #[test]
    fn the_help_tells_the_limits_that_hold() {
        let command = Alone::command();
        let limits = Limits::default();
        for (id, limit) in [
            ("max_head", limits.max_head),
            ("max_kv", limits.max_kv),
            ("max_tensors", limits.max_tensors),
            ("max_string", limits.max_string),
            ("max_array", limits.max_array),
            ("max_depth", limits.max_depth.into()),
        ] {
            let arg = command.get_arguments().find(|arg| arg.get_id() == id).unwrap();
            let help = arg.get_help().unwrap().to_string();
            let told = help.split_once("(default ").unwrap().1;
            let told: String = told.chars().take_while(char::is_ascii_digit).collect();
            assert_eq!(told, limit.to_string(), "{id}: {help}");
        }
    }

    #[test]
    fn numbers_amounts_and_ranges_are_read_alike() {
        assert_eq!(number("1_000"), Ok(1000));
        assert_eq!(number("0x1f4"), Ok(500));
        assert_eq!(amount("0x10"), Ok(Amount(Some(16))));
        assert_eq!(amount("all"), Ok(Amount(None)));
        assert!(amount("some").is_err());
        // The end of a range is not in it, that of layers is.
        for (text, from, to) in
            [("7", 7, 8), ("0x40..0x80", 64, 128), ("0x40..+16", 64, 80), ("5..", 5, u64::MAX)]
        {
            assert_eq!(range(text), Ok((from, to)), "{text}");
        }
        assert!(range("5..5").is_err());
        assert!(range("6..5").is_err());
        assert_eq!(layers("3..5"), Ok(3..=5));
        assert_eq!(layers("3"), Ok(3..=3));
    }

    #[test]
    fn sizes_are_decimal_or_binary_by_their_unit() {
        for (text, expected) in [
            ("123456", 123_456),
            ("0", 0),
            ("18446744073709551615", u64::MAX),
            ("1_000", 1000),
            ("7B", 7),
            ("2k", 2000),
            ("500MB", 500_000_000),
            ("2G", 2_000_000_000),
            ("2 gb", 2_000_000_000),
            ("512MiB", 536_870_912),
            ("2GiB", 2_147_483_648),
            ("1.5GiB", 1_610_612_736),
            ("0.5k", 500),
            ("1TiB", 1 << 40),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "G", "2X", "2iB", "1.2.3", "-1", "99999999999T", "0x10", "1e9", "2GG"] {
            assert!(bytes(text).is_err(), "{text}: {:?}", bytes(text));
        }
    }
}
