//! `gguf check` and the files around it: what a baseline replaces, which configuration is read, what the status is of.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;

use ggufkit_testkit::{Builder, Tensor, Value};

use common::{folder, gguf, names, text};

fn status(folder: &Path, args: &[&str]) -> Option<i32> {
    gguf(folder, args).status.code()
}

fn sound() -> Builder {
    Builder::new().kv("general.architecture", "llama").tensor(Tensor::f32("a", &[3]))
}

/// A file with an error whose rule can be ignored.
fn twice() -> Vec<u8> {
    Builder::new().kv("general.architecture", "llama").kv("key", 1_u8).kv("key", 2_u8).bytes()
}

#[test]
fn a_baseline_replaces_nothing_but_a_baseline() {
    let folder = folder("baseline");
    let shard = |no: u16| {
        let file = Builder::new().kv("general.architecture", "llama").kv("split.no", Value::U16(no));
        let file = file.kv("split.count", Value::U16(3)).kv("split.tensors.count", Value::I32(3));
        file.tensor(Tensor::f32(format!("t{no}"), &[4])).bytes()
    };
    for no in 0..2 {
        fs::write(folder.join(format!("s-0000{}-of-00003.gguf", no + 1)), shard(no)).unwrap();
    }
    fs::write(folder.join("m.gguf"), sound().bytes()).unwrap();
    fs::write(folder.join("model"), sound().bytes()).unwrap();
    fs::write(folder.join("list"), "m.gguf\n").unwrap();
    fs::write(folder.join("ggufkit.toml"), "[check]\n").unwrap();
    fs::write(folder.join("notes.json"), "{\"schema\": 1}").unwrap();
    fs::write(folder.join("empty"), "").unwrap();
    fs::create_dir(folder.join("folder")).unwrap();
    let before: Vec<_> =
        names(&folder).into_iter().map(|name| (fs::read(folder.join(&name)).ok(), name)).collect();
    let first = "s-00001-of-00003.gguf";
    for (inputs, file, why) in [
        (&["--files-from", "list"][..], "list", "one of the files"),
        (&["m.gguf"], "list", "no baseline"),
        (&["m.gguf"], "ggufkit.toml", "no baseline"),
        (&["m.gguf", "--no-config"], "./ggufkit.toml", "no baseline"),
        (&["m.gguf"], "notes.json", "no baseline"),
        (&["m.gguf"], "empty", "no baseline"),
        (&["m.gguf"], "model", "no baseline"),
        (&["m.gguf"], "folder", "a folder"),
        (&["m.gguf"], "/dev/null", "no regular file"),
        (&[first], "s-00002-of-00003.gguf", "of their set"),
        (&[first, "--alone"], "s-00002-of-00003.gguf", "of their set"),
        // A shard that is missing, and names that only a model would have.
        (&[first], "s-00003-of-00003.gguf", "of their set"),
        (&["m.gguf"], "new.GGUF", "name of a model"),
        (&["m.gguf"], ".gguf", "name of a model"),
        (&["m.gguf"], "-", "standard output"),
    ] {
        for json in [false, true] {
            let args = [&["check"], inputs, &["--write-baseline", file]].concat();
            let args = if json { [&args[..], &["--json"]].concat() } else { args };
            let output = gguf(&folder, &args);
            assert_eq!(output.status.code(), Some(2), "{args:?}");
            let said = text(if json { &output.stdout } else { &output.stderr });
            assert!(said.contains(why), "{args:?}: {said}");
        }
    }
    let after: Vec<_> =
        names(&folder).into_iter().map(|name| (fs::read(folder.join(&name)).ok(), name)).collect();
    assert_eq!(before, after);
    // A baseline of ours is replaced, and one is made where nothing is.
    for _ in 0..2 {
        assert_eq!(status(&folder, &["check", "m.gguf", "--write-baseline", "known.json"]), Some(0));
        assert_eq!(status(&folder, &["check", "m.gguf", "--baseline", "known.json"]), Some(0));
    }
    // A file that is judged is an input, even if it would pass for a baseline.
    let args = ["check", "known.json", "m.gguf", "--write-baseline", "known.json"];
    assert!(text(&gguf(&folder, &args).stderr).contains("one of the files"));
}

#[cfg(unix)]
#[test]
fn a_baseline_says_what_it_holds_and_keeps_the_permissions_of_the_one_before() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = folder("baseline-permissions");
    fs::write(folder.join("m.gguf"), twice()).unwrap();
    let write = ["check", "m.gguf", "--write-baseline", "known.json"];
    let said = text(&gguf(&folder, &write).stderr);
    let entries: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("known.json")).unwrap()).unwrap();
    let findings = entries["findings"].as_array().unwrap().len();
    assert!(findings == 1 && said.contains("known.json written: 1 finding\n"), "{said}");
    let mode =
        |mode| fs::set_permissions(folder.join("known.json"), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o600);
    gguf(&folder, &write);
    let now = fs::metadata(folder.join("known.json")).unwrap().permissions().mode();
    assert_eq!(now & 0o777, 0o600);
    // What is there and is no baseline is not to be made one, so nothing advises it.
    let said = text(&gguf(&folder, &["check", "m.gguf", "--baseline", "/dev/zero"]).stderr);
    assert!(said.contains("no regular file") && !said.contains("--write-baseline"), "{said}");
    let said = text(&gguf(&folder, &["check", "m.gguf", "--baseline", "none.json"]).stderr);
    assert!(said.contains("--write-baseline none.json"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_link_is_judged_by_what_it_leads_to() {
    let folder = folder("baseline-links");
    fs::write(folder.join("m.gguf"), sound().bytes()).unwrap();
    fs::write(folder.join("other"), "mine").unwrap();
    for (link, to) in [("to-model", "m.gguf"), ("to-other", "other"), ("to-nothing", "nothing")] {
        std::os::unix::fs::symlink(to, folder.join(link)).unwrap();
    }
    for (link, code) in [("to-model", 2), ("to-other", 2), ("to-nothing", 0)] {
        assert_eq!(status(&folder, &["check", "m.gguf", "--write-baseline", link]), Some(code), "{link}");
    }
    assert_eq!(fs::read(folder.join("other")).unwrap(), b"mine");
    assert!(!folder.join("nothing").exists(), "the link itself was replaced");
}

#[test]
fn patterns_match_however_a_path_is_spelt() {
    let folder = folder("patterns");
    fs::create_dir_all(folder.join("a/b")).unwrap();
    fs::write(folder.join("a/b/m.gguf"), twice()).unwrap();
    for (pattern, hides) in [
        ("./a/b/m.gguf", true),
        ("a//b/m.gguf", true),
        ("a/./b/m.gguf", true),
        (".//a/b/./*.gguf", true),
        ("m.gguf", true),
        ("./m.gguf", false),
        ("./b/m.gguf", false),
    ] {
        let config =
            format!("[[check.ignore]]\nrule = \"all\"\nfiles = [\"{pattern}\"]\nreason = \"known\"\n");
        fs::write(folder.join("ggufkit.toml"), config).unwrap();
        for path in ["a/b/m.gguf", "./a/b/m.gguf", "a//b/./m.gguf", "a/../a/b/m.gguf"] {
            let code = if hides { 0 } else { 1 };
            assert_eq!(status(&folder, &["check", path]), Some(code), "{pattern} and {path}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_configuration_that_cannot_be_read_is_not_passed_over() {
    use std::time::{Duration, Instant};
    let folder = folder("unreadable");
    fs::write(folder.join("m.gguf"), sound().bytes()).unwrap();
    let config = folder.join("ggufkit.toml");
    type Make = fn(&Path);
    let makes: [(&str, Make); 4] = [
        ("is a folder", |path| fs::create_dir(path).unwrap()),
        ("no regular file", |path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        }),
        ("no regular file", |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()),
        ("No such file", |path| std::os::unix::fs::symlink("nothing", path).unwrap()),
    ];
    for (why, make) in makes {
        make(&config);
        for args in [
            &["check", "m.gguf"][..],
            &["check", "m.gguf", "--config", "ggufkit.toml"],
            &["check", "m.gguf", "--no-config", "--baseline", "ggufkit.toml"],
            &["check", "m.gguf", "--fix", "-o", "out.gguf"],
        ] {
            // A pipe that nobody writes to would be waited for without end.
            let begun = Instant::now();
            let mut child = common::command(&folder, args);
            let mut child = child.stderr(std::process::Stdio::piped()).spawn().unwrap();
            while child.try_wait().unwrap().is_none() {
                if begun.elapsed() > Duration::from_secs(30) {
                    child.kill().unwrap();
                    panic!("{args:?} waits");
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            let output = child.wait_with_output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{why}: {args:?}");
            assert!(text(&output.stderr).contains(why), "{args:?}: {}", text(&output.stderr));
        }
        assert_eq!(status(&folder, &["check", "m.gguf", "--no-config"]), Some(0));
        let _ = fs::remove_file(&config);
        let _ = fs::remove_dir(&config);
    }
}

#[test]
fn the_status_of_a_fix_is_that_of_checking_the_result() {
    let folder = folder("status");
    // A tensor off its boundary, which is mended; a key twice, which needs a decision; a hint that nobody mends.
    let off =
        |file: Builder| file.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[5]).offset(17)).bytes();
    let llama = || Builder::new().kv("general.architecture", "llama");
    fs::write(folder.join("sound.gguf"), off(llama())).unwrap();
    fs::write(folder.join("error.gguf"), off(llama().kv("key", 1_u8).kv("key", 2_u8))).unwrap();
    fs::write(folder.join("warning.gguf"), off(llama().kv("llama.context_lenght", 7_u32))).unwrap();
    fs::write(folder.join("left.gguf"), twice()).unwrap();
    fs::write(
        folder.join("ignored.toml"),
        "[[check.ignore]]\nrule = \"duplicate-key\"\nreason = \"known\"\n",
    )
    .unwrap();
    let mut seen = [0; 3];
    for name in ["sound", "error", "warning", "left"] {
        for options in [
            &[][..],
            &["--fail-on", "warning"],
            &["--fail-on", "note"],
            &["--fail-on", "never"],
            &["--select", "layout"],
            &["--config", "ignored.toml"],
            &["--ignore", "duplicate-key=known"],
            &["--json"],
        ] {
            let file = format!("{name}.gguf");
            let _ = fs::remove_file(folder.join("out.gguf"));
            let args = [&["check", "--fix", &file, "-o", "out.gguf"], options].concat();
            let fixed = gguf(&folder, &args);
            let result = if folder.join("out.gguf").exists() { "out.gguf" } else { &file };
            let checked = status(&folder, &[&["check", result], options].concat());
            assert_eq!(fixed.status.code(), checked, "{args:?}: {}", text(&fixed.stderr));
            seen[usize::try_from(checked.unwrap()).unwrap()] += 1;
        }
    }
    assert!(seen[0] > 4 && seen[1] > 4 && seen[2] == 0, "{seen:?}");
}

#[test]
fn what_was_not_examined_in_many_files_is_said_once() {
    let folder = folder("folded");
    for at in 0..12 {
        fs::write(folder.join(format!("m{at:02}.gguf")), sound().bytes()).unwrap();
    }
    let odd = Builder::new().kv("general.architecture\0", "llama").tensor(Tensor::f32("a", &[3]));
    fs::write(folder.join("odd.gguf"), odd.bytes()).unwrap();
    let said = text(&gguf(&folder, &["check", "."]).stdout);
    let lines: Vec<_> = said.lines().filter(|line| line.starts_with("not examined: ")).collect();
    assert_eq!(
        lines,
        [
            "not examined: the values of the weights, because they were not read (--data reads them)",
            "not examined: the keys, tensors and shapes that an architecture asks for, because the key \
             \"general.architecture\\0\" is not general.architecture",
            "not examined: 13 files: the values of the weights, because they were not read (--data reads them)",
        ]
    );
    // The shards of one model are one input.
    let shards = self::folder("folded-shards");
    for no in 0..3_u16 {
        let file = Builder::new().kv("general.architecture", "llama").kv("split.no", Value::U16(no));
        let file = file.kv("split.count", Value::U16(3)).kv("split.tensors.count", Value::I32(3));
        let file = file.tensor(Tensor::f32(format!("t{no}"), &[4]));
        fs::write(shards.join(format!("s-0000{}-of-00003.gguf", no + 1)), file.bytes()).unwrap();
    }
    let said = text(&gguf(&shards, &["check", "."]).stdout);
    let lines: Vec<_> = said.lines().filter(|line| line.starts_with("not examined: ")).collect();
    let expected =
        "not examined: 3 files: the values of the weights, because they were not read (--data reads them)";
    assert_eq!(lines, [expected]);
    // Beside the one-line forms too, where a name stands before the first.
    fs::copy(folder.join("odd.gguf"), folder.join("odd2.gguf")).unwrap();
    let said = text(&gguf(&folder, &["check", ".", "--format", "concise"]).stderr);
    assert_eq!(said.matches("an architecture asks for").count(), 2, "{said}");
    assert!(said.contains("odd.gguf: the keys") && said.contains(": 2 files: the keys"), "{said}");
}

#[test]
fn the_command_behind_a_fix_makes_it() {
    let llama = || Builder::new().kv("general.architecture", "llama");
    let with = |file: Builder| file.tensor(Tensor::f32("a", &[8]));
    let joined = [with(llama()).bytes(), with(llama()).bytes()].concat();
    for (rule, bytes) in [
        ("tensor-offset-misaligned", llama().tensor(Tensor::f32("b", &[5]).offset(17)).bytes()),
        ("duplicate-key", with(llama().kv("key", 1_u8).kv("key", 1_u8)).bytes()),
        ("duplicate-key", with(llama().kv("key", 1_u8).kv("key", 2_u8)).bytes()),
        ("trailing-bytes", with(llama()).trailing(*b"left from before").bytes()),
        ("trailing-bytes", with(llama()).trailing([0; 64]).bytes()),
        ("nul-in-value", with(llama().kv("general.name", "a\0")).bytes()),
        ("bom-in-text", with(llama().kv("general.name", "\u{feff}a")).bytes()),
        ("odd-bool", with(llama().kv("llama.rope.finetuned", Value::Bool(2))).bytes()),
        ("early-version", with(llama()).version(1).bytes()),
        ("joined-files", joined),
    ] {
        let folder = folder("commands");
        fs::write(folder.join("m.gguf"), bytes).unwrap();
        let said = text(&gguf(&folder, &["check", "m.gguf", "--select", rule]).stdout);
        let fix = said
            .lines()
            .find(|line| line.starts_with("  = fix ("))
            .unwrap_or_else(|| panic!("{rule}: {said}"));
        let command = fix.split('`').nth(1).unwrap_or_else(|| panic!("{fix}"));
        let place = |word| match word {
            "FILE" => "m.gguf",
            "OUT" => "out.gguf",
            "FOLDER" => "out",
            other => other,
        };
        let words: Vec<&str> = command.split(' ').skip(1).map(place).collect();
        let output = gguf(&folder, &words);
        assert!(output.status.code() < Some(2), "{command}: {}", text(&output.stderr));
        let result = if folder.join("out").exists() { "out" } else { "out.gguf" };
        let said = text(&gguf(&folder, &["check", result, "--select", rule]).stdout);
        assert!(said.contains("no findings"), "{command}: {said}");
        assert!(!said.contains(&format!("[{rule}]")), "{command}: {said}");
    }
}

#[test]
fn findings_are_kept_in_bounds() {
    let folder = folder("bounds");
    fs::write(folder.join("m.gguf"), sound().bytes()).unwrap();
    fs::write(folder.join("many.toml"), "[check]\nper-rule = 10001\n").unwrap();
    assert_eq!(status(&folder, &["check", "m.gguf", "--per-rule", "10000"]), Some(0));
    assert_eq!(status(&folder, &["check", "m.gguf", "--per-rule", "10001"]), Some(2));
    let output = gguf(&folder, &["check", "m.gguf", "--config", "many.toml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("10000 is the most"), "{}", text(&output.stderr));
}

#[test]
fn a_report_keeps_to_the_columns_that_there_are() {
    let folder = folder("columns");
    let file = Builder::new().kv("general.architecture", "Llama").kv("key", 1_u8).kv("key", 2_u8);
    let file = file.tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[5]).offset(17));
    fs::write(folder.join("m.gguf"), file.bytes()).unwrap();
    let args =
        ["check", "m.gguf", "--ignore", "container=a reason that is longer than a line of forty columns"];
    for columns in [40, 60, 72, 80, 120] {
        let mut command = common::command(&folder, &args);
        let said = text(&command.env("COLUMNS", columns.to_string()).output().unwrap().stdout);
        for line in said.lines() {
            assert!(line.chars().count() <= columns, "{columns}: {line}");
        }
    }
    // Through a pipe each text is one line.
    let said = text(&gguf(&folder, &args).stdout);
    assert!(said.lines().any(|line| line.starts_with("not examined: ") && line.len() > 80), "{said}");
}
