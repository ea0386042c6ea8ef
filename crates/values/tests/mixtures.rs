//! The types that mixtures give, held against what the reference gave: the tables in `data/mixtures` are its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use std::path::Path;

use ggufkit_format::spec::TensorType;
use ggufkit_values::mixture::{Facts, Mixture, Shape, Wishes, choose};

struct Table {
    facts: Facts,
    tensors: Vec<(String, TensorType, Vec<u64>)>,
    /// Mixture, whether there was importance, and the types in the order of the tensors.
    types: Vec<(Mixture, bool, Vec<TensorType>)>,
}

fn ty(name: &str) -> TensorType {
    TensorType::from_name(name).unwrap_or_else(|| panic!("{name} is no type"))
}

fn read(path: &Path) -> Table {
    let text = std::fs::read_to_string(path).unwrap();
    let mut table = Table { facts: Facts::default(), tensors: Vec::new(), types: Vec::new() };
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words.as_slice() {
            ["#", ..] => {}
            ["model", architecture, numbers @ ..] => {
                table.facts.architecture = architecture.as_bytes().to_vec();
                for (name, value) in numbers.iter().map(|number| number.split_once('=').unwrap()) {
                    match name {
                        "layers" => table.facts.layers = value.parse().unwrap(),
                        "experts" => table.facts.experts = value.parse().unwrap(),
                        "heads_per_kv" => table.facts.heads_per_kv = value.parse().unwrap(),
                        "is_70b" => table.facts.is_70b = value.parse().unwrap(),
                        _ => panic!("{line}"),
                    }
                }
            }
            ["tensor", name, kind, dims] => {
                let dims = dims.split('x').map(|dim| dim.parse().unwrap()).collect();
                table.tensors.push(((*name).to_owned(), ty(kind), dims));
            }
            ["types", mixture, tag, runs @ ..] => {
                let runs = runs.iter().flat_map(|run| {
                    let (count, kind) = run.split_once('*').unwrap_or(("1", run));
                    std::iter::repeat_n(ty(kind), count.parse().unwrap())
                });
                table.types.push((Mixture::of_name(mixture).unwrap(), *tag == "importance", runs.collect()));
            }
            _ => panic!("{line}"),
        }
    }
    table
}

#[test]
fn types_are_those_of_the_reference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mixtures");
    let mut tables = 0;
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let table = read(&path);
        let tensors = table.tensors.iter();
        let shapes: Vec<_> = tensors
            .map(|(name, tensor_type, dims)| Shape { name: name.as_bytes(), dims, tensor_type: *tensor_type })
            .collect();
        assert!(table.types.len() >= 12, "{}", path.display());
        for (mixture, importance, expected) in &table.types {
            assert_eq!(expected.len(), shapes.len());
            let chosen = choose(Some(*mixture), &table.facts, &Wishes::default(), *importance, &shapes);
            for ((shape, choice), expected) in shapes.iter().zip(chosen).zip(expected) {
                let found = choice.unwrap().tensor_type;
                let name = String::from_utf8_lossy(shape.name);
                assert_eq!(found, *expected, "{}: {mixture} {importance} {name}", path.display());
            }
        }
        tables += 1;
    }
    assert!(tables >= 5);
}
