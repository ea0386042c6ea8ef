//! Inputs that once broke something, or come close to it, each run through its target: what was broken stays mended.

#![allow(clippy::print_stdout, reason = "shown when a test fails: which input it was")]

use ggufkit_testkit::{corpus, fuzzing};

fn run(target: &str, check: fn(&[u8])) {
    let folder = corpus::workspace().join("fuzz").join("regressions").join(target);
    for file in corpus::files(&folder, "") {
        println!("{target}/{}", file.name);
        check(&file.bytes);
    }
    // The files of the format crate are good inputs too.
    let foreign = corpus::files(&corpus::workspace().join("crates/format/tests/data"), "gguf");
    assert!(!foreign.is_empty());
    for file in foreign {
        println!("{target} on {}", file.name);
        check(&file.bytes);
    }
}

#[test]
fn parse() {
    run("parse", fuzzing::parse);
}

#[test]
fn chunks() {
    run("chunks", |input| {
        fuzzing::chunks(input);
        // Such a file's first bytes may be no choice of cuts: it is read whole, under several.
        for choice in 0_u8..12 {
            fuzzing::chunks(&[&[choice, 0, choice / 3, 0, 0, 0, 0, 0][..], input].concat());
        }
    });
}

#[test]
fn fields() {
    run("fields", fuzzing::fields);
}
