//! YAML 1.2 of the same data that the JSON documents hold, in a form that YAML 1.1 readers take the same way.
//!
//! Lists of plain values stand in brackets, everything else in lines. Text is quoted unless it is a plain word; text of
//! several lines that holds nothing odd (a chat template) is a literal block. Nothing that could act on a terminal is
//! written as it is. The values are those of [`json`](crate::json): what JSON says with `"NaN"` or
//! `{"bytes": …}`, this says too.
//!
//! Documents are written as they are made; nothing is held. Only the fields of our own types are mapping keys, so keys
//! are short and known.

mod scalar;
mod serializer;

use std::io;

use serde::ser::Serialize;

/// Writes a document, without a `---` line.
///
/// # Errors
/// The writer's.
pub fn write<W: io::Write, T: Serialize + ?Sized>(writer: W, value: &T) -> io::Result<()> {
    let place = serializer::Place::Block { indent: 0, lead: serializer::Lead::Start };
    serializer::write(writer, value, place)
}

/// Writes a value as an item of a list: `- ` and the value, all of it `indent` spaces from the left.
///
/// # Errors
/// The writer's.
pub fn write_item<W: io::Write, T: Serialize + ?Sized>(
    mut writer: W,
    value: &T,
    indent: usize,
) -> io::Result<()> {
    write!(writer, "{:indent$}-", "")?;
    let place = serializer::Place::Block { indent: indent + 2, lead: serializer::Lead::Dash };
    serializer::write(writer, value, place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn yaml(value: &Value) -> String {
        let mut out = Vec::new();
        write(&mut out, value).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn maps_and_lists_stand_in_lines_and_plain_lists_in_brackets() {
        // serde_json keeps its maps in the order of the keys here.
        let value = json!({
            "a": {"b": 1, "c": []},
            "d": [{"e": 1, "f": [1, 2]}, {"g": {}}],
            "h": [[1, 2], [], [[3]]],
            "i": ["x", {"bytes": "/w=="}, null],
        });
        let expected = "\
a:
  b: 1
  c: []
d:
  - e: 1
    f: [1, 2]
  - g: {}
h:
  - [1, 2]
  - []
  - - [3]
i: [x, {bytes: \"/w==\"}, null]
";
        assert_eq!(yaml(&value), expected);
        let list = json!([{"bytes": "/w=="}, "x", ["y"]]);
        assert_eq!(yaml(&list), "- bytes: \"/w==\"\n- x\n- [\"y\"]\n");
        assert_eq!(yaml(&json!(3)), "3\n");
        assert_eq!(yaml(&json!({})), "{}\n");
    }

    #[test]
    fn words_that_mean_something_else_are_quoted() {
        for (text, expected) in [
            ("llama", "llama"),
            ("general.name", "general.name"),
            ("Q4_K", "Q4_K"),
            ("", "\"\""),
            ("true", "\"true\""),
            ("No", "\"No\""),
            ("y", "\"y\""),
            ("null", "\"null\""),
            ("NaN", "\"NaN\""),
            ("~", "\"~\""),
            ("1e3", "\"1e3\""),
            ("0x10", "\"0x10\""),
            (".inf", "\".inf\""),
            ("-", "\"-\""),
            ("- a", "\"- a\""),
            ("a: b", "\"a: b\""),
            ("a #b", "\"a #b\""),
            ("=", "\"=\""),
            ("<<", "\"<<\""),
            ("a,b", "\"a,b\""),
            ("é", "\"é\""),
            ("q\"\\", "\"q\\\"\\\\\""),
            ("\u{1b}[31m", "\"\\e[31m\""),
            ("\u{202e}\u{85}\u{feff}", "\"\\u202e\\x85\\ufeff\""),
            ("\u{e0041}\u{ffff}", "\"\\U000e0041\\uffff\""),
            ("tab\there\r", "\"tab\\there\\r\""),
        ] {
            assert_eq!(yaml(&json!(text)), format!("{expected}\n"), "{text:?}");
        }
    }

    #[test]
    fn clean_text_of_several_lines_is_a_literal_block() {
        for (text, expected) in [
            ("one\ntwo", "|-\n    one\n    two\n"),
            ("one\n  two\n\nthree\n", "|\n    one\n      two\n\n    three\n"),
            ("# no comment\n--- no start", "|-\n    # no comment\n    --- no start\n"),
            // Where a block would need care it is not used.
            (" one\ntwo", "\" one\\ntwo\"\n"),
            ("\none", "\"\\none\"\n"),
            ("one\n\n", "\"one\\n\\n\"\n"),
            ("one\n  ", "\"one\\n  \"\n"),
            ("one\ntwo\tthree", "\"one\\ntwo\\tthree\"\n"),
            ("one\r\ntwo", "\"one\\r\\ntwo\"\n"),
        ] {
            assert_eq!(yaml(&json!([{"k": text}])), format!("- k: {expected}"), "{text:?}");
        }
        assert_eq!(yaml(&json!(["a\nb"])), "[\"a\\nb\"]\n", "not between brackets");
    }

    #[test]
    fn numbers_read_as_numbers_in_both_versions() {
        for (value, expected) in [
            (json!(u64::MAX), "18446744073709551615"),
            (json!(i64::MIN), "-9223372036854775808"),
            (json!(0.1), "0.1"),
            (json!(1.0), "1.0"),
            (json!(-0.0), "-0.0"),
            // YAML 1.1 takes "1e-5" for text.
            (json!(1e-5), "1.0e-5"),
            (json!(1.5e300), "1.5e+300"),
            (json!(5e-324), "5.0e-324"),
        ] {
            assert_eq!(yaml(&value), format!("{expected}\n"));
        }
    }

    #[test]
    fn long_lists_are_folded() {
        let text = yaml(&json!({"a": (100_000..100_040).collect::<Vec<u32>>()}));
        assert_eq!(text.lines().count(), 4);
        assert!(text.lines().all(|line| line.len() <= 110), "{text}");
        assert!(text.lines().skip(1).all(|line| line.starts_with("  1")), "{text}");
    }
}
