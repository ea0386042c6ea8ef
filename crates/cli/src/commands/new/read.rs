//! Descriptions from files: JSON, or YAML.

use std::io;
use std::path::Path;

use serde_json::Value;

use crate::failure::Failure;
use crate::input::{self, read_limited};

/// Longest description that is read.
const MAX: u64 = 1 << 30;

/// The description in a file, or in what comes through standard input. JSON begins with `{`; all else is YAML.
pub(super) fn description(path: &Path) -> Result<Value, Failure> {
    let bytes = read_limited(path, MAX).map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => Failure::usage("too-long", "the description is longer than 1 GiB"),
        _ => Failure::Io(error),
    })?;
    let malformed = |code, message: String| Failure::Data { kind: "malformed", code, message };
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    if text.trim_ascii_start().starts_with(b"{") {
        return input::json(text).map_err(|error| malformed("bad-json", format!("no JSON: {error}")));
    }
    if text.trim_ascii().is_empty() {
        return Err(malformed("bad-description", "the description is empty".to_owned()));
    }
    yaml(text).map_err(|message| malformed("bad-yaml", message))
}

fn yaml(text: &[u8]) -> Result<Value, String> {
    let text = std::str::from_utf8(text).map_err(|_| "the description is no UTF-8".to_owned())?;
    // No more than the text itself can hold: aliases, which could stand for much of it many times, are refused.
    let most = text.len().saturating_mul(2).saturating_add(64);
    let budget = serde_saphyr::budget! {
        max_events: most,
        max_nodes: most,
        max_total_scalar_bytes: text.len().saturating_add(64),
        max_aliases: 0,
        max_anchors: 0,
        max_depth: 128,
    };
    let options = serde_saphyr::options! { budget: budget };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let told = error.to_string();
        format!("no YAML: {}", told.lines().next().unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn yaml_says_what_json_says() {
        let text = "a: [1, -2, 18446744073709551615, 0.1, 10000.0, -0.0, 1.0e-5]\nb: \"NaN\"\nc: Infinity\n\
                    d: |\n  one\n  two\ne: \"\\x7f\\u202e\\0\"\nf: {bytes: /w==}\ng: [true, false, null]\nh: []\n";
        let read = yaml(text.as_bytes()).unwrap();
        let wanted = json!({
            "a": [1, -2, u64::MAX, 0.1, 10000.0, -0.0, 1e-5], "b": "NaN", "c": "Infinity", "d": "one\ntwo\n",
            "e": "\u{7f}\u{202e}\0", "f": {"bytes": "/w=="}, "g": [true, false, null], "h": [],
        });
        assert_eq!(read, wanted);
        assert_eq!(read["a"][5].to_string(), "-0.0");
        assert_eq!(read["a"][4].to_string(), "10000.0");
    }

    #[test]
    fn what_could_grow_is_refused() {
        assert!(yaml(b"a: &x [1, 2]\nb: [*x, *x]\n").is_err());
        assert!(yaml(b"a: \xff").is_err());
        let deep = "[".repeat(100_000);
        assert!(yaml(deep.as_bytes()).is_err());
        assert!(yaml(b"a: 1\na: 2\n").is_err());
    }
}
