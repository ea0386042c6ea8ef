//! Templates that make much of little, or make the engine fail, are refused in words.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Command, Output};

use ggufkit_testkit::Builder;

fn rendered(name: &str, template: &str) -> Output {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (model, messages) = (folder.join(format!("{name}.gguf")), folder.join(format!("{name}.json")));
    std::fs::write(&model, Builder::new().kv("tokenizer.chat_template", template).bytes()).unwrap();
    std::fs::write(&messages, r#"[{"role": "user", "content": "Hi"}]"#).unwrap();
    let command = Command::new(env!("CARGO_BIN_EXE_gguf"))
        .args(["template", "--messages"])
        .args([messages, model])
        .output();
    command.unwrap()
}

#[test]
fn what_makes_the_engine_fail_is_refused() {
    let output = rendered("fails", "{{ 'abc'[::-9223372036854775808] }}");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is not rendered: the template engine fails on it"), "{said}");
    assert!(!said.contains("panicked"), "{said}");
}

#[test]
fn wide_fields_are_refused_and_others_are_made() {
    for template in
        ["{{ '{:>999999999}'.format(1) }}", "{{ '{:.99999999f}'.format(1.5) }}", "{{ 'a'.center(99999999) }}"]
    {
        let output = rendered("wide", template);
        assert_eq!(output.status.code(), Some(1), "{template}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("wider than 1000 characters"), "{template}: {said}");
    }
    let output = rendered("modest", "{{ '{:>4}|{}'.format(1, messages[0].content) }}");
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"   1|Hi".as_slice()));
}
