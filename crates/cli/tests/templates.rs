//! Templates that make much of little, or make the engine fail, are refused in words, whatever they do to the process that
//! renders them.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use ggufkit_testkit::Builder;

/// The command that renders a template, given as a file, for `Hi`, or for other messages.
fn command(name: &str, template: &str, messages: &str) -> Command {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (model, chat) = (folder.join(format!("{name}.gguf")), folder.join(format!("{name}.json")));
    std::fs::write(&model, Builder::new().kv("tokenizer.chat_template", template).bytes()).unwrap();
    std::fs::write(&chat, messages).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
    command.args(["template", "--messages"]).args([chat, model]);
    command
}

const HI: &str = r#"[{"role": "user", "content": "Hi"}]"#;

fn rendered(name: &str, template: &str) -> Output {
    command(name, template, HI).output().unwrap()
}

/// What a template is refused with: in time, in one line, and by the command itself.
fn refused(name: &str, template: &str) -> String {
    let start = Instant::now();
    let output = rendered(name, template);
    let took = start.elapsed();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{template}: {said}");
    assert!(took < Duration::from_secs(3), "{template}: {took:?}");
    assert!(output.stdout.is_empty(), "{template}");
    assert!(said.starts_with("error: ") && said.lines().count() == 1, "{template}: {said}");
    said
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

/// A value that holds itself is walked without an end, which exhausts the stack.
#[test]
fn values_that_hold_themselves_are_refused() {
    for uses in [
        "{{ ns }}",
        "{{ ns|tojson }}",
        "{{ ns|string }}",
        "{{ 'a' ~ ns }}",
        "{{ '{}'.format(ns) }}",
        "{{ [ns, ns]|sort }}",
        "{% set ns.x = {'a': [ns]} %}{{ ns.x }}",
        "{% set other = namespace() %}{% set other.x = other %}{{ ns == other }}",
    ] {
        let said = refused("itself", &format!("{{% set ns = namespace() %}}{{% set ns.x = ns %}}{uses}"));
        assert!(
            said.contains("is not rendered: the template engine ran out of memory or stack on it"),
            "{said}"
        );
    }
    // Walked as a tree that is indented ever more, it may meet the limit of time first.
    for uses in ["{{ ns|pprint }}", "{{ debug() }}"] {
        let said = refused("itself", &format!("{{% set ns = namespace() %}}{{% set ns.x = ns %}}{uses}"));
        assert!(said.contains("is not rendered: "), "{said}");
    }
}

/// Half a gigabyte and more each, of some hundred bytes, which fuel does not count.
#[test]
fn what_would_take_all_memory_is_refused() {
    let text = "{% set ns = namespace(y='abcdefgh') %}{% for i in range(14) %}{% set ns.y = ns.y ~ ns.y %}{% endfor %}";
    let list = "{% set l = range(9000)|list %}";
    for (given, uses) in [
        (text, "{{ ''.join([ns.y] * 5000)|length }}"),
        (text, "{{ ([ns.y] * 5000)|join|length }}"),
        (text, "{{ ('{0}' * 5000).format(ns.y)|length }}"),
        (list, "{{ ([l] * 4000)|pprint|length }}"),
        (list, "{{ ([l] * 4000)|string|length }}"),
    ] {
        let said = refused("bomb", &format!("{given}{uses}"));
        let words = ["ran out of memory or stack on it", "it was not done after 1 seconds"];
        assert!(words.iter().any(|word| said.contains(word)), "{uses}: {said}");
    }
}

/// The same by ways that the engine counts, or may come to count.
#[test]
fn other_ways_to_much_are_refused() {
    let text = "{% set ns = namespace(y='abcdefgh') %}{% for i in range(14) %}{% set ns.y = ns.y ~ ns.y %}{% endfor %}";
    for uses in [
        "{{ ('a' * 2000000000)|length }}",
        "{{ (['a'] * 200000000)|length }}",
        "{% for i in range(60) %}{% set ns.y = ns.y * 8 %}{% endfor %}",
        "{% for i in range(60) %}{% set ns.y = ns.y ~ ns.y %}{% endfor %}",
        "{{ ns.y|replace('a', ns.y)|length }}",
        "{{ ns.y.replace('', ns.y)|length }}",
        "{{ ns.y|replace('a', '\n')|indent(100000)|length }}",
        "{{ ([ns.y] * 5000)|tojson|length }}",
        "{% set ns.z = [1] %}{% for i in range(40) %}{% set ns.z = (ns.z + ns.z)|list %}{% endfor %}{{ ns.z|length }}",
        "{% set ns.z = [] %}{% for i in range(9000) %}{% set ns.z = [ns.z, ns.y[i:]] %}{% endfor %}",
        "{% set ns.z = [] %}{% for i in range(9000) %}{% set ns.z = [ns.z, ns.y|list] %}{% endfor %}",
        "{{ range(9000)|batch(100000000, 'x')|list|length }}",
    ] {
        refused("much", &format!("{text}{uses}"));
    }
}

#[test]
fn a_refusal_by_the_system_is_told_in_json_too() {
    let mut command = command("json", "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}", HI);
    let output = command.arg("--json").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stderr.is_empty());
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let file = &answer["files"][0];
    assert_eq!(
        file["refused"],
        "tokenizer.chat_template is not rendered: the template engine ran out of memory or stack on it"
    );
    assert_eq!(file["errors"], serde_json::json!([]));
}

/// What is given reaches a template as it is: order, numbers to the last digit, nesting down to what JSON allows.
#[test]
fn what_is_given_arrives_as_it_is() {
    let deep = format!("{}1{}", "[".repeat(120), "]".repeat(120));
    let given = format!(
        r#"{{"messages": [], "v": {{"z": 1, "a": [18446744073709551615, -9223372036854775808, 0.30000000000000004, 1.0,
        5.0e-324, 2.2250738585072011e-308, null, true, "\u001b\u0000é😀"]}}, "deep": {deep}}}"#
    );
    let output = command("given", "{{ v|tojson }} {{ deep|tojson }}", &given).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let expected = format!(
        "{{\"z\": 1, \"a\": [18446744073709551615, -9223372036854775808, 0.30000000000000004, 1.0, 5e-324, \
         2.225073858507201e-308, null, true, \"\\u001b\\u0000é😀\"]}} {deep}"
    );
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

/// Memory grows with what the user gives, not with what a stranger's template makes of it.
#[test]
fn long_conversations_are_rendered() {
    let message = format!(r#"{{"role": "user", "content": "{}"}}"#, "word ".repeat(200));
    let given = format!("[{}]", vec![message; 2000].join(","));
    let template = "{% for m in messages %}{{ m.content }}{% endfor %}";
    let output = command("long", template, &given).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.stdout.len(), 2000 * 1000);
    // What takes much more than its text.
    for one in ["{}", "[]", r#"{"":0}"#, r#"{"a":{"b":[1]}}"#] {
        let given = format!("[{}]", vec![one; 30_000].join(","));
        let output = command("many", "{{ messages|length }}", &given).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            (output.status.code(), output.stdout.as_slice()),
            (Some(0), b"30000".as_slice()),
            "{one}: {said}"
        );
    }
}

/// Seven keys may name the same token of a megabyte.
#[test]
fn special_tokens_are_short() {
    let model = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("token.gguf");
    for (length, status) in [(4096, 0), (4097, 1)] {
        let (token, chat) = ("\u{1}".repeat(length), model.with_extension("json"));
        let file = Builder::new()
            .kv("tokenizer.chat_template", "{{ bos_token|length }}")
            .kv("tokenizer.ggml.tokens", vec![token.as_str()])
            .kv("tokenizer.ggml.bos_token_id", 0u32);
        std::fs::write(&model, file.bytes()).unwrap();
        std::fs::write(&chat, HI).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_gguf"));
        let output = command.args(["template", "--messages"]).args([&chat, &model]).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{}", String::from_utf8_lossy(&output.stderr));
        let said = if status == 0 { output.stdout } else { output.stderr };
        let said = String::from_utf8(said).unwrap();
        let expected = if status == 0 {
            "4096"
        } else {
            "the token of tokenizer.ggml.bos_token_id is longer than 4096 bytes"
        };
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn messages_come_from_standard_input_too() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (model, chat) = (folder.join("input.gguf"), folder.join("input.json"));
    let template = "{{ messages[0].content }}";
    std::fs::write(&model, Builder::new().kv("tokenizer.chat_template", template).bytes()).unwrap();
    std::fs::write(&chat, HI).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gguf"))
        .args(["template", "--messages", "-"])
        .arg(model)
        .stdin(std::fs::File::open(chat).unwrap())
        .output()
        .unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"Hi".as_slice()));
}

/// The program that renders is the one that runs, also when its file is not there any more.
#[cfg(target_os = "linux")]
#[test]
fn a_program_that_was_removed_still_renders() {
    use std::io::Write as _;

    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (model, program) = (folder.join("removed.gguf"), folder.join("gguf-removed"));
    let template = "{{ messages[0].content }}";
    std::fs::write(&model, Builder::new().kv("tokenizer.chat_template", template).bytes()).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_gguf"), &program).unwrap();
    let mut child = Command::new("./gguf-removed")
        .current_dir(&folder)
        .args(["template", "--messages", "-", "removed.gguf"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::fs::remove_file(&program).unwrap();
    child.stdin.take().unwrap().write_all(HI.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), b"Hi".as_slice()));
}

/// Neither the command nor the process that it starts comes to the 64 MiB of the promise, as far as it is seen meanwhile.
#[cfg(target_os = "linux")]
#[test]
fn no_template_takes_more_memory_than_promised() {
    let text = "{% set ns = namespace(y='abcdefgh') %}{% for i in range(14) %}{% set ns.y = ns.y ~ ns.y %}{% endfor %}";
    let most = |id: &str| -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.split_whitespace().next()?.parse().ok()
    };
    for uses in ["{{ ''.join([ns.y] * 5000)|length }}", "{{ ([range(9000)|list] * 4000)|pprint|length }}"] {
        let mut child = command("peak", &format!("{text}{uses}"), HI)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let id = child.id().to_string();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            let children = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
            for id in children.unwrap_or_default().split_whitespace().chain([id.as_str()]) {
                peak = peak.max(most(id).unwrap_or(0));
            }
        }
        assert!(peak < 64 << 10, "{uses}: {peak} KiB");
    }
}

/// The word by which the command starts itself stands in no help, and is no way to anything.
#[test]
fn the_inner_entry_is_hidden_and_harmless() {
    for args in [["help", "template"].as_slice(), &["--help"], &["completions", "bash"], &["man"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_gguf")).args(args).output().unwrap();
        assert!(!String::from_utf8_lossy(&output.stdout).contains("__render"), "{args:?}");
    }
    let output =
        Command::new(env!("CARGO_BIN_EXE_gguf")).arg("__render").stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(output.stdout.starts_with(b"S"), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A system that leaves too little is not the template's fault: exit status 2, and an entry among the errors.
#[cfg(target_os = "linux")]
#[test]
fn what_the_system_refuses_is_no_refusal_of_the_template() {
    let template = "{{ messages[0].content }}";
    let shown = command("scarce", template, HI);
    let args: Vec<_> = shown.get_args().map(|arg| arg.to_str().unwrap().to_owned()).collect();
    let limit = "ulimit -n 6";
    for json in [false, true] {
        let script = format!("{limit}; exec \"$@\"");
        let mut shell = Command::new("sh");
        shell.args(["-c", &script, "sh", env!("CARGO_BIN_EXE_gguf")]).args(&args);
        let output = if json { shell.arg("--json") } else { &mut shell }.output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{limit}: {output:?}");
        let text = String::from_utf8(if json { output.stdout } else { output.stderr }).unwrap();
        assert!(text.contains("is not rendered"), "{limit}: {text}");
        if json {
            let document: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(document["files"][0]["errors"][0]["error"]["kind"], "io", "{limit}: {text}");
            assert_eq!(document["files"][0].get("refused"), None, "{limit}: {text}");
        }
    }
}
