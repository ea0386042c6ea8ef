//! `gguf dump`.

use std::io;

use crate::FAILED;
use crate::out::Out;

/// Not written yet
#[derive(clap::Args, Debug)]
pub(crate) struct Args {}

impl Args {
    pub(crate) fn run(self, _out: &mut Out) -> io::Result<u8> {
        Ok(FAILED)
    }
}
