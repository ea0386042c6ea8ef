use std::collections::BTreeSet;

use ggufkit_format::spec::arch;
use ggufkit_format::{Options, View, parse};
use ggufkit_inspect::{Model, Part, config};
use ggufkit_testkit::Builder;

use super::arch::ALL;
use super::{Coverage, Need, Row, Schema};

/// Every group of rows whose tensors stand side by side.
fn levels(schema: &'static Schema) -> Vec<Vec<&'static Row>> {
    let stacks = schema.stacks.iter().map(|stack| stack.rows().collect());
    core::iter::once(schema.globals().collect()).chain(stacks).collect()
}

#[test]
fn tables_are_of_known_architectures_in_order_and_there_are_enough_of_them() {
    assert!(ALL.is_sorted_by_key(|schema| schema.name.replace('-', "_")));
    assert!(ALL.len() >= 40, "{}", ALL.len());
    for schema in ALL {
        assert!(arch::is_known(schema.name), "{}", schema.name);
        assert!(Schema::find(schema.name).is_some());
    }
}

#[test]
fn the_keys_of_every_table_are_told() {
    for schema in ALL {
        let bytes = Builder::new().kv("general.architecture", schema.name).bytes();
        let index = parse(&bytes, Options::new()).into_result().unwrap();
        let part = Part {
            label: ggufkit_format::ByteStr(b""),
            file_name: None,
            size: None,
            view: View::new(&index, &bytes),
        };
        let config = config::config(&Model::single(part));
        assert!(config.requirements_known, "{}", schema.name);
    }
}

#[test]
fn a_tensor_is_asked_for_once_and_conditions_name_tensors_of_the_table() {
    for schema in ALL {
        for level in levels(schema) {
            let names: BTreeSet<&str> = level.iter().map(|row| row.name).collect();
            // A group says that a tensor may be there, an architecture says that its own must.
            let must = level.iter().filter(|row| !format!("{:?}", row.need).starts_with("May"));
            let must: Vec<&str> = must.map(|row| row.name).collect();
            let once: BTreeSet<&str> = must.iter().copied().collect();
            assert_eq!(once.len(), must.len(), "{}: a tensor is listed twice", schema.name);
            let single_expert = |name: &str| name.contains(".0.");
            for row in level {
                assert!(row.shape.len() <= 4, "{}: {}", schema.name, row.name);
                let named: Vec<&str> = match row.need {
                    Need::MayWith(other) => vec![other],
                    Need::Must
                    | Need::May
                    | Need::Where(_)
                    | Need::WhereNot(_)
                    | Need::MayWhere(_)
                    | Need::MayWhereNot(_) => Vec::new(),
                    Need::Unless(others) => others.to_vec(),
                    Need::With(other, others) => others.iter().copied().chain([other]).collect(),
                };
                for name in named {
                    // A partial table need not list what only tells two sorts of layers apart.
                    let known = names.contains(name) || schema.coverage == Coverage::Partial;
                    assert!(known || single_expert(name), "{}: {name}", schema.name);
                }
            }
        }
    }
}

#[test]
fn names_are_taken_apart() {
    let llama = Schema::find("llama").unwrap();
    let found = |name: &'static str| llama.place(name.as_bytes()).unwrap();
    assert_eq!(found("blk.31.attn_q.weight").row.unwrap().name, "attn_q.weight");
    assert_eq!(found("blk.31.attn_q.weight").stack.unwrap().1, 31);
    assert_eq!(found("token_embd.weight").row.unwrap().name, "token_embd.weight");
    let takes = |name: &'static str| llama.takes(&found(name), |_| false, |_| false);
    for name in ["blk.0.attn_q.bias", "blk.0.ffn_up.scale", "output.weight"] {
        assert!(takes(name), "{name}");
    }
    for name in [
        "blk.0.attn_q_norm.weight",
        "blk.0.attn_norm.bias",
        "blk.0.ffn_gate_inp.weight",
        "blk.0.x",
        "blk.x.attn_q.weight",
        "v.blk.0.attn_q.weight",
        "a",
    ] {
        assert!(!takes(name), "{name}");
    }
    let t5 = Schema::find("t5").unwrap();
    assert_eq!(t5.place(b"dec.blk.2.cross_attn_q.weight").unwrap().stack.unwrap().1, 2);
}
