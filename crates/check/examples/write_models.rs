//! Writes a model of every architecture's table into a folder, and beside it models of which one thing is changed, for the
//! comparison with real loaders in `tests/oracle/loaders.py`: `{architecture}--{what is changed}.gguf`.
//!
//!     cargo run -p ggufkit-check --example write_models -- FOLDER

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "who calls it wants all or nothing"
)]

#[path = "../tests/models/mod.rs"]
mod models;

use ggufkit_check::architectures::Planned;
use ggufkit_inspect::config::required_keys;
use ggufkit_testkit::{Builder, Tensor};
use models::{head, head_without, read, tensors, variants};

fn main() {
    let folder = std::path::PathBuf::from(std::env::args_os().nth(1).expect("the folder to write into"));
    // Heads of its layers with a window have sizes that the table does not tell.
    for (architecture, experts) in variants().filter(|(architecture, _)| architecture.name() != "gemma4") {
        let arch = architecture.name();
        let with = if experts { " with experts" } else { "" };
        let write = |what: &str, keys: Builder, tensors: &[(String, Vec<u64>)]| {
            let file = tensors.iter().fold(keys, |file, (name, dims)| file.tensor(Tensor::f32(name, dims)));
            std::fs::write(folder.join(format!("{arch}{with}--{what}.gguf")), file.bytes()).unwrap();
        };
        let tensors: Vec<(String, Vec<u64>)> =
            tensors(architecture, experts).into_iter().map(|(name, dims, ..)| (name, dims)).collect();
        write("sound", head(architecture, experts), &tensors);
        let foreign = [&tensors[..], &[("blk.0.foreign.weight".to_owned(), vec![1])]].concat();
        write("foreign", head(architecture, experts), &foreign);
        // The last layer is one that predicts further tokens, and is there or not.
        let predicting = || head(architecture, experts).kv(format!("{arch}.nextn_predict_layers"), 1_u32);
        write("nextn", predicting(), &tensors);
        let first = tensors.iter().filter(|(name, _)| !name.contains(".1.")).cloned().collect::<Vec<_>>();
        write("nextn left out", predicting(), &first);
        for key in required_keys(arch) {
            write(&format!("no {key}"), head_without(architecture, experts, &key), &tensors);
        }
        for (at, (name, dims)) in tensors.iter().enumerate().filter(|(_, (name, _))| !name.contains(".1.")) {
            let mut fewer = tensors.clone();
            fewer.remove(at);
            write(&format!("without {name}"), head(architecture, experts), &fewer);
            let mut other = tensors.clone();
            other[at].1 = core::iter::once(dims[0] + 1).chain(dims.iter().skip(1).copied()).collect();
            write(&format!("shape of {name}"), head(architecture, experts), &other);
            for end in ["bias", "scale"] {
                let Some(stem) = name.strip_suffix("weight") else { continue };
                let name = format!("{stem}{end}");
                if name != "output.scale" && tensors.iter().all(|(other, _)| *other != name) {
                    let scales = if name.contains("_exps.") { 4 } else { 1 };
                    let dim = if end == "bias" { dims[dims.len() - 1] } else { scales };
                    let more = [&tensors[..], &[(name.clone(), vec![dim])]].concat();
                    write(&format!("with {name}"), head(architecture, experts), &more);
                }
            }
        }
        let listed = read(&head(architecture, experts).bytes(), |subject| architecture.listed(subject));
        for Planned { name, dims, .. } in listed {
            let dims: Option<Vec<u64>> = dims.into_iter().collect();
            let Some(dims) = dims.filter(|dims| !dims.is_empty()) else { continue };
            if tensors.iter().all(|(other, _)| *other != name) {
                let more = [&tensors[..], &[(name.clone(), dims)]].concat();
                write(&format!("with {name}"), head(architecture, experts), &more);
            }
        }
    }
}
