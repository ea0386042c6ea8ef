//! Files that `gguf quantize` writes, and what it leaves alone.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod common;

use std::fs;
use std::path::Path;

use ggufkit_testkit::{Builder, Tensor};
use serde_json::Value;

use common::{folder, good, names, said};

fn numbers(count: usize) -> Vec<u8> {
    (0..count).flat_map(|at| ((at as f32 * 0.731).sin() * 0.1).to_le_bytes()).collect()
}

fn matrix(name: &str, row: u64, rows: u64) -> Tensor {
    Tensor::f32(name, &[row, rows]).data(numbers((row * rows) as usize))
}

fn model() -> Builder {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("llama.block_count", 1_u32)
        .tensor(matrix("token_embd.weight", 256, 8))
        .tensor(matrix("blk.0.attn_v.weight", 256, 4))
        .tensor(Tensor::f32("output_norm.weight", &[256]).data(numbers(256)))
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let all: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&good(folder, &all)).unwrap()
}

#[test]
fn a_file_is_written_measured_and_made_again_by_its_recipe() {
    let folder = folder("written");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    let done = json(&folder, &["quantize", "m.gguf", "Q4_K_M", "-o", "q.gguf"]);
    let file = &done["files"][0];
    assert_eq!(file["file_type"], "Q4_K_M");
    let size = fs::metadata(folder.join("q.gguf")).unwrap().len();
    assert_eq!((&file["outputs"][0]["bytes"], &file["outputs"][0]["written"]), (&size.into(), &true.into()));
    let types: Vec<&str> = file["tensors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tensor| tensor["new_type"].as_str().unwrap())
        .collect();
    assert_eq!(types, ["Q6_K", "Q6_K", "F32"]);
    let error = file["tensors"][1]["error"]["relative"].as_f64().unwrap();
    assert!(error > 1e-4 && error < 0.05, "{error}");
    assert_eq!(file["tensors"][2]["error"]["relative"], 0.0);
    // What is dry says the same sizes.
    let dry = json(&folder, &["quantize", "m.gguf", "Q4_K_M", "--dry-run"]);
    assert_eq!(dry["files"][0]["outputs"][0]["bytes"], size);
    assert_eq!(dry["files"][0]["new_bytes"], file["new_bytes"]);
    assert_eq!(names(&folder), ["m.gguf", "q.gguf"]);
    // The recipe of it makes the same file.
    fs::write(folder.join("r"), good(&folder, &["recipe", "q.gguf"])).unwrap();
    good(&folder, &["quantize", "m.gguf", "--recipe", "r", "-o", "again.gguf", "--threads", "3"]);
    assert!(fs::read(folder.join("again.gguf")).unwrap() == fs::read(folder.join("q.gguf")).unwrap());
}

#[test]
fn no_input_is_written_over() {
    let folder = folder("inputs");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    fs::write(folder.join("rules"), "attn_v=Q8_0\n").unwrap();
    let imatrix = Builder::new().tensor(matrix("blk.0.attn_v.weight.in_sum2", 256, 1)).tensor(matrix(
        "blk.0.attn_v.weight.counts",
        1,
        1,
    ));
    let mut bytes = imatrix.bytes();
    let first = bytes.len() - 32 - 1024;
    // Sums of squares are not below zero.
    bytes[first..].as_chunks_mut::<4>().0.iter_mut().for_each(|number| number[3] &= 0x7f);
    fs::write(folder.join("i.gguf"), bytes).unwrap();
    let before: Vec<_> = names(&folder).iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
    for target in ["m.gguf", "rules", "i.gguf", "./m.gguf"] {
        let args = [
            "quantize",
            "m.gguf",
            "Q8_0",
            "--imatrix",
            "i.gguf",
            "--tensor-type-file",
            "rules",
            "--force",
            "-o",
            target,
        ];
        let said = said(&folder, &args, 2);
        assert!(said.contains("is one of the files that are read"), "{said}");
    }
    let after: Vec<_> = names(&folder).iter().map(|name| fs::read(folder.join(name)).unwrap()).collect();
    assert!(before == after);
    let args = ["quantize", "m.gguf", "Q4_0", "--imatrix", "i.gguf", "-o", "out.gguf"];
    good(&folder, &args);
    let said = common::said(&folder, &args, 2);
    assert!(said.contains("exists"), "{said}");
}

#[test]
fn a_weight_that_is_not_finite_ends_it_with_nothing_left() {
    let folder = folder("odd");
    let mut data = numbers(1024);
    data[1200..1204].copy_from_slice(&f32::NAN.to_le_bytes());
    let odd = model().tensor(Tensor::f32("blk.0.attn_k.weight", &[256, 4]).data(data));
    fs::write(folder.join("m.gguf"), odd.bytes()).unwrap();
    let place = "blk.0.attn_k.weight: the weight in row 1, column 44 (element 300) is NaN";
    for mixture in ["Q4_K_M", "COPY"] {
        let said = said(&folder, &["quantize", "m.gguf", mixture, "-o", "q.gguf"], 2);
        assert!(said.contains(place), "{said}");
        assert!(said.contains("help: `gguf check --data m.gguf` finds all of them; the "), "{said}");
        assert_eq!(said.contains("--no-verify does so"), mixture == "COPY", "{said}");
        assert_eq!(names(&folder), ["m.gguf"]);
    }
    // With --resume what is finished stays, and is of use once the weight is mended.
    let said = said(&folder, &["quantize", "m.gguf", "Q4_K_M", "-o", "q.gguf", "--resume"], 2);
    assert!(said.contains(place), "{said}");
    assert_eq!(names(&folder), [".q.gguf.resume", ".q.gguf.resume.log", "m.gguf"]);
    let mended = model().tensor(matrix("blk.0.attn_k.weight", 256, 4));
    fs::write(folder.join("m.gguf"), mended.bytes()).unwrap();
    let done = json(&folder, &["quantize", "m.gguf", "Q4_K_M", "-o", "q.gguf", "--resume"]);
    assert!(done["files"][0]["taken_over"].as_u64().unwrap() > 2000, "{done}");
    good(&folder, &["quantize", "m.gguf", "Q4_K_M", "-o", "plain.gguf"]);
    assert_eq!(names(&folder), ["m.gguf", "plain.gguf", "q.gguf"]);
    assert!(fs::read(folder.join("q.gguf")).unwrap() == fs::read(folder.join("plain.gguf")).unwrap());
}

#[test]
fn a_set_becomes_one_file_or_stays_a_set() {
    let folder = folder("sets");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    good(&folder, &["split", "m.gguf", "-o", "s", "--shards", "2"]);
    good(&folder, &["quantize", "m.gguf", "Q8_0", "-o", "whole.gguf"]);
    good(&folder, &["quantize", "s-00002-of-00002.gguf", "Q8_0", "-o", "one.gguf"]);
    assert!(fs::read(folder.join("one.gguf")).unwrap() == fs::read(folder.join("whole.gguf")).unwrap());
    good(&folder, &["quantize", "s-00001-of-00002.gguf", "Q8_0", "-o", "k.gguf", "--keep-split"]);
    good(&folder, &["merge", "k-00001-of-00002.gguf", "-o", "merged.gguf"]);
    assert!(fs::read(folder.join("merged.gguf")).unwrap() == fs::read(folder.join("whole.gguf")).unwrap());
}

#[cfg(unix)]
#[test]
fn a_run_that_was_killed_is_continued() {
    let folder = folder("killed");
    let args = ["quantize", "m.gguf", "Q4_K_M", "-o", "q.gguf", "--resume", "--threads", "1"];
    let log = folder.join(".q.gguf.resume.log");
    let lines = || fs::read(&log).map_or(0, |text| text.iter().filter(|byte| **byte == b'\n').count());
    // On a machine on which it is done before it is killed there is more to do.
    let was_killed = [12, 60, 300].into_iter().any(|layers| {
        fs::write(folder.join("m.gguf"), common::large(layers)).unwrap();
        let _ = fs::remove_file(folder.join("q.gguf"));
        let mut child = common::command(&folder, &args).stdout(std::process::Stdio::null()).spawn().unwrap();
        let begun = std::time::Instant::now();
        while lines() < 4 && begun.elapsed().as_secs() < 120 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        !folder.join("q.gguf").exists()
    });
    assert!(was_killed);
    assert_eq!(names(&folder), [".q.gguf.resume", ".q.gguf.resume.log", "m.gguf"]);
    let done = json(&folder, &args);
    assert!(done["files"][0]["taken_over"].as_u64().unwrap() > 3 * 512 * 300 / 2, "{done}");
    good(&folder, &["quantize", "m.gguf", "Q4_K_M", "-o", "plain.gguf"]);
    assert_eq!(names(&folder), ["m.gguf", "plain.gguf", "q.gguf"]);
    assert!(fs::read(folder.join("q.gguf")).unwrap() == fs::read(folder.join("plain.gguf")).unwrap());
}

#[cfg(unix)]
#[test]
fn a_set_of_which_some_files_have_their_names_is_continued() {
    let folder = folder("some-placed");
    let model = Builder::new()
        .kv("general.architecture", "llama")
        .tensor(matrix("blk.0.attn_v.weight", 256, 16))
        .tensor(matrix("blk.0.ffn_up.weight", 256, 600));
    fs::write(folder.join("m.gguf"), model.bytes()).unwrap();
    good(&folder, &["split", "m.gguf", "-o", "s", "--max-tensors", "1"]);
    let set = ["quantize", "s-00001-of-00002.gguf", "Q8_0", "--keep-split", "-o"];
    good(&folder, &[&set[..], &["ref"]].concat());
    // A file may have 64 KiB: the second is too large, and that is an error like any other.
    let program = common::command(&folder, &[""; 0]).get_program().to_owned();
    let limited = std::process::Command::new("sh")
        .current_dir(&folder)
        .args(["-c", "ulimit -f 128; exec \"$0\" \"$@\""])
        .arg(program)
        .args(&set[..])
        .args(["q", "--resume"])
        .output()
        .unwrap();
    let said = String::from_utf8(limited.stderr).unwrap();
    assert_eq!(limited.status.code(), Some(2), "{said}");
    assert!(said.starts_with("error: q-00002-of-00002.gguf: "), "{said}");
    // As if it had been killed when the first had its name.
    fs::rename(folder.join(".q-00001-of-00002.gguf.resume"), folder.join("q-00001-of-00002.gguf")).unwrap();
    let done = json(&folder, &[&set[..], &["q", "--resume"]].concat());
    let first = fs::metadata(folder.join("q-00001-of-00002.gguf")).unwrap().len();
    assert!(done["files"][0]["taken_over"].as_u64().unwrap() >= first);
    for number in [1, 2] {
        let of =
            |prefix: &str| fs::read(folder.join(format!("{prefix}-0000{number}-of-00002.gguf"))).unwrap();
        assert!(of("q") == of("ref"));
    }
    assert!(names(&folder).iter().all(|name| !name.starts_with('.')));
    // Once more there is nothing that says so: the files are somebody's.
    let said = common::said(&folder, &[&set[..], &["q", "--resume"]].concat(), 2);
    assert!(said.contains("exists; --force replaces it"), "{said}");
}

#[test]
fn what_is_meant_otherwise_is_told() {
    let folder = folder("habits");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    for (args, expected) in [
        (&["m.gguf", "o.gguf", "Q4_K_M", "8"][..], "the file to write is -o OUT, threads are --threads N"),
        (&["m.gguf", "Q8_0", "--override-kv", "a=b", "--dry-run"], "`gguf set OUT KEY=VALUE` does it"),
        (&["m.gguf", "Q8_0", "--threads", "0", "--dry-run"], "a number from 1 on is needed"),
        (&["m.gguf", "--recipe", "m.gguf", "--dry-run"], "`gguf recipe FILE > RECIPE` writes down its types"),
        (&["m.gguf", "Q4_K_L", "--dry-run"], "are as a rule Q4_K_M with --token-embedding-type Q8_0"),
        (
            &["m.gguf", "Q8_0", "--output-tensor-type", "Q4_K_M", "--dry-run"],
            "'Q4_K_M' is a mixture, and no tensor type: most of its tensors are Q4_K",
        ),
        (&["m.gguf", "COPY", "--recipe", "m.gguf", "--dry-run"], "COPY changes no type, and a recipe does"),
        (&["-", "Q8_0", "-o", "o.gguf"], "a file is needed, which can be read at any position"),
        (&["m.gguf", "Q8_0", "-o", "no/o.gguf"], "error: there is no folder no\n  help: mkdir -p no"),
        (&["m.gguf", "Q8_0", "-o", "no/", "--keep-split"], "error: there is no folder no/\n  help: mkdir"),
        (
            &["m.gguf", "Q8_0", "--tensor-type", "*attn*=F16", "--dry-run"],
            "'attn' is all that has it in its name",
        ),
    ] {
        let said = said(&folder, &[&["quantize"], args].concat(), 2);
        assert!(said.contains(expected), "{said}");
    }
    let notes = |args: &[&str]| {
        let done = json(&folder, &[&["quantize", "m.gguf"], args].concat());
        done["files"][0]["notes"].to_string()
    };
    let found = notes(&["Q4_0", "--tensor-type", "attn_*=F16", "--tensor-type", r"x\.y=F16", "--dry-run"]);
    assert!(
        found.contains("'attn_' is all that has it in its name") && found.contains(r"in its name: 'x\\.y'"),
        "{found}"
    );
    let found = notes(&["Q4_0", "--tensor-type", ".*=Q8_0", "--dry-run"]);
    assert!(found.contains("the file is called Q4_0, and no tensor has its type from there"), "{found}");
    // One file of no set has an ending all the same; a link is replaced itself.
    good(&folder, &["quantize", "m.gguf", "Q8_0", "--keep-split", "-o", "one"]);
    assert_eq!(names(&folder), ["m.gguf", "one.gguf"]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("one.gguf", folder.join("link.gguf")).unwrap();
        let found = notes(&["F16", "-o", "link.gguf", "--force"]);
        assert!(found.contains("link.gguf is a link: it is replaced itself, and one.gguf stays"), "{found}");
        // What is refused is not said to be replaced.
        std::os::unix::fs::symlink("m.gguf", folder.join("own.gguf")).unwrap();
        let said = said(&folder, &["quantize", "m.gguf", "F16", "-o", "own.gguf", "--force"], 2);
        assert!(said.starts_with("error: own.gguf is one of the files that are read"), "{said}");
    }
    assert!(notes(&["COPY", "--pure", "--dry-run"]).contains("COPY passes over --pure"));
    assert!(notes(&["Q8_0", "-o", "q4"]).contains("q4 does not end in .gguf"));
    let text = good(&folder, &["quantize", "m.gguf", "Q8_0", "-o", "again.gguf"]);
    assert!(
        text.contains("again.gguf written: ") && text.contains(" bytes), read again: as written"),
        "{text}"
    );
    let text = good(&folder, &["quantize", "m.gguf", "Q8_0", "-o", "again.gguf", "--force", "--no-verify"]);
    assert!(text.contains(" bytes), not read again"), "{text}");
    let empty = Builder::new().kv("general.architecture", "llama").bytes();
    fs::write(folder.join("m.gguf"), empty).unwrap();
    assert!(notes(&["Q4_0", "--dry-run"]).contains("there are no tensors"));
    assert!(!good(&folder, &["quantize", "m.gguf", "Q4_0", "--dry-run"]).contains("from  to"));
}

#[test]
fn importance_that_counts_nothing_makes_no_model_of_zeros() {
    let folder = folder("faint");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    let imatrix = |number: f32| {
        let numbers = std::iter::repeat_n(number, 256).flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
        let sums = Tensor::f32("blk.0.attn_v.weight.in_sum2", &[256]).data(numbers);
        let counts = Tensor::f32("blk.0.attn_v.weight.counts", &[1]).data(1.0_f32.to_le_bytes().to_vec());
        let ones = |name: &str, count| {
            Tensor::f32(name, &[count]).data(1.0_f32.to_le_bytes().repeat(count as usize))
        };
        let more = [ones("token_embd.weight.in_sum2", 256), ones("token_embd.weight.counts", 1)];
        let built = [sums, counts].into_iter().chain(more).fold(Builder::new(), Builder::tensor);
        fs::write(folder.join("i.gguf"), built.bytes()).unwrap();
    };
    let args = ["quantize", "m.gguf", "Q4_0", "--imatrix", "i.gguf", "-o", "q.gguf"];
    for number in [0.0, -0.0, 1e-45, 1e-21] {
        imatrix(number);
        let said = said(&folder, &args, 1);
        assert!(
            said.contains("refused: blk.0.attn_v.weight: the importance of all columns is zero"),
            "{said}"
        );
        assert_eq!(names(&folder), ["i.gguf", "m.gguf"]);
    }
    // So large that what is computed with it is no number.
    imatrix(3e38);
    for args in [&args[..], &[&args[..], &["--dry-run"]].concat()] {
        let said = said(&folder, args, 1);
        assert!(said.contains("refused: blk.0.attn_v.weight: the importance of column 0 is 3e38"), "{said}");
        assert!(said.contains("--exclude-weights NAME leaves"), "{said}");
    }
    // What is chosen of it, and what is not in it.
    let chosen = |more: &[&str], status| said(&folder, &[&args[..], &["--force"], more].concat(), status);
    chosen(&["--exclude-weights", "attn_v"], 0);
    let found = chosen(&["--exclude-weights", "attn_v", "--exclude-weights", "ffn_xx"], 0);
    assert!(found.contains("note: no tensor of the importance matrix has 'ffn_xx' in its name"), "{found}");
    let found = chosen(&["--include-weights", "ffn_xx"], 2);
    assert!(found.contains("error: --include-weights leaves nothing of the importance matrix"), "{found}");
    let found = chosen(&["--exclude-weights", "weight"], 2);
    assert!(found.contains("error: --exclude-weights leaves nothing of the importance matrix"), "{found}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let folder = folder("pipes");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap().success());
    let before = ["quantize", "m.gguf", "Q4_0", "-o", "q.gguf"];
    for args in [
        &["recipe", "pipe"][..],
        &["quantize", "pipe", "Q4_0", "-o", "q.gguf"],
        &[&before[..], &["--imatrix", "pipe"]].concat(),
        &[&before[..], &["--tensor-type-file", "pipe"]].concat(),
        &["quantize", "m.gguf", "-o", "q.gguf", "--recipe", "pipe"],
    ] {
        let said = said(&folder, args, 2);
        assert_eq!(
            said, "error: pipe: is a pipe: a file is needed, which can be read at any position\n",
            "{args:?}"
        );
    }
    for beside in [".q.gguf.resume", ".q.gguf.resume.log"] {
        fs::rename(folder.join("pipe"), folder.join(beside)).unwrap();
        let said = said(&folder, &[&before[..], &["--resume"]].concat(), 2);
        assert!(said.contains(&format!("{beside}: it is there, and is no regular file")), "{said}");
        fs::rename(folder.join(beside), folder.join("pipe")).unwrap();
        assert_eq!(names(&folder), ["m.gguf", "pipe"]);
    }
}

#[test]
fn rules_are_read_from_standard_input_too() {
    let folder = folder("rules-in");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    let args = ["quantize", "m.gguf", "-o", "q.gguf", "--recipe", "-"];
    let mut child = common::command(&folder, &args);
    child.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::null());
    let mut child = child.spawn().unwrap();
    let text = b"# gguf recipe 1\nattn_v=Q8_0\n";
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), text).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(good(&folder, &["recipe", "q.gguf"]).contains("attn_v[.]weight$=Q8_0"));
    let said = said(&folder, &["recipe", "q.gguf", "-o", "x"], 2);
    assert!(said.contains("help: recipes go to standard output: > x"), "{said}");
    assert!(!folder.join("x").exists());
}

#[test]
fn a_tensor_of_which_nothing_is_left_is_named() {
    let folder = folder("lost");
    // Scales of blocks are halves, and these are too small for them.
    let tiny: Vec<u8> = (0..1024).flat_map(|at| ((at % 7) as f32 * 1e-12).to_le_bytes()).collect();
    let model = model().tensor(Tensor::f32("blk.0.attn_k.weight", &[256, 4]).data(tiny));
    fs::write(folder.join("m.gguf"), model.bytes()).unwrap();
    let done = json(&folder, &["quantize", "m.gguf", "Q8_0", "-o", "q.gguf"]);
    let notes = done["files"][0]["notes"].to_string();
    assert!(
        notes.contains("hardly anything is left of blk.0.attn_k.weight: the error is 95 % or more"),
        "{notes}"
    );
}

#[test]
fn what_a_model_was_made_with_and_what_of_a_matrix_was_never_called_is_shown() {
    let folder = folder("shown");
    fs::write(folder.join("m.gguf"), model().bytes()).unwrap();
    let floats =
        |numbers: &[f32]| numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>();
    let built = Builder::new()
        .kv("general.type", "imatrix")
        .kv("imatrix.datasets", vec!["texts/wiki.train.raw"])
        .kv("imatrix.chunk_count", 100_u32)
        .tensor(Tensor::f32("blk.0.attn_v.weight.in_sum2", &[256]).data(floats(&[1.0; 256])))
        .tensor(Tensor::f32("blk.0.attn_v.weight.counts", &[1]).data(floats(&[2.0])))
        .tensor(Tensor::f32("blk.9.exps.weight.in_sum2", &[4, 3]).data(floats(&[1.0; 12])))
        .tensor(Tensor::f32("blk.9.exps.weight.counts", &[1, 3]).data(floats(&[0.0, 5.0, 0.0])));
    fs::create_dir(folder.join("deep")).unwrap();
    fs::write(folder.join("deep/i.gguf"), built.bytes()).unwrap();
    let shown = good(&folder, &["show", "deep/i.gguf"]);
    assert!(shown.contains("4 matrices  2 never called"), "{shown}");
    let shown = json(&folder, &["show", "deep/i.gguf"]);
    assert_eq!(shown["files"][0]["matrices"]["never_called"], 2);
    let args = ["quantize", "m.gguf", "Q4_0", "--imatrix", "deep/i.gguf", "-o", "q.gguf"];
    let text = good(&folder, &args);
    assert!(text.contains("weighted  name\n") && text.contains("\nweighted by importance: "), "{text}");
    let shown = good(&folder, &["show", "q.gguf"]);
    assert!(shown.contains("importance     i.gguf  wiki.train.raw  tensors 2  chunks 100"), "{shown}");
    assert!(!good(&folder, &["show", "m.gguf"]).contains("importance"));
}
