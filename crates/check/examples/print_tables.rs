//! Prints the tables of architectures, a JSON document a line, for the comparison with gguf-py in
//! `tests/oracle/architectures.py`.
//!
//!     cargo run -p ggufkit-check --example print_tables

#![allow(clippy::print_stdout, reason = "it is there to print")]

use ggufkit_check::architectures::Architecture;

fn main() {
    for architecture in Architecture::all() {
        let table = serde_json::json!({
            "name": architecture.name(),
            "complete": architecture.is_complete(),
            "tensors": architecture.tensors(),
            "required": architecture.required(),
        });
        println!("{table}");
    }
}
