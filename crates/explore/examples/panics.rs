//! The explorer over a source that panics as soon as its data is read: what becomes of the terminal then is looked at by
//! `tests/terminal/explore.py`.

#![allow(clippy::panic, reason = "it is what this is for")]

use std::io;

use ggufkit::check::{File, Subject};
use ggufkit::format::spec::Lang;
use ggufkit::format::{ByteStr, Options, ReadAt, View, parse};
use ggufkit::io::Diagnosis;
use ggufkit_explore::{Settings, explore};

const SIZE: u64 = 8192;

struct Panics;

impl ReadAt for Panics {
    type Error = io::Error;

    fn size(&self) -> Option<u64> {
        Some(SIZE)
    }

    fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
        panic!("the source panics")
    }
}

fn main() -> io::Result<()> {
    // A header that says there is nothing, and a byte that is not in memory.
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.resize(24, 0);
    let size = Some(SIZE);
    let outcome = parse(&bytes, Options::new().with_size(size));
    let file = File {
        label: ByteStr(b"panics.gguf"),
        file_name: Some("panics.gguf"),
        size,
        view: outcome.index.as_ref().map(|index| View::new(index, &bytes)),
        error: outcome.error.as_ref(),
        diagnosis: &Diagnosis::default(),
        source: Some(&Panics),
    };
    explore(&Subject::single(&file), Settings { lang: Lang::En, colour: false }, &|| None)
}
