//! A model of every architecture, made from its table: what the rules say about it, and about one thing of it changed.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod models;

use std::collections::BTreeSet;

use ggufkit_check::{Family, Options, Severity, check};
use ggufkit_testkit::{Builder, Tensor};
use models::{head, read, tensors, variants};

/// What the rules of the family say above a note.
fn said(file: &Builder) -> BTreeSet<&'static str> {
    read(&file.bytes(), |subject| {
        let report = check(subject, &Options::default(), None);
        let loud = report.findings.iter().filter(|finding| finding.severity > Severity::Note);
        loud.filter(|finding| finding.rule.family == Family::Conventions).map(|f| f.rule.name).collect()
    })
}

#[test]
fn a_model_that_is_as_its_table_says_breaks_no_rule_and_each_tensor_counts() {
    for (architecture, experts) in variants() {
        let name = architecture.name();
        let tensors = tensors(architecture, experts);
        let model = |skip: Option<usize>| {
            let kept = tensors.iter().enumerate().filter(|(at, _)| Some(*at) != skip);
            kept.fold(head(architecture, experts), |file, (_, (name, dims, _))| {
                file.tensor(Tensor::f32(name, dims))
            })
        };
        assert_eq!(said(&model(None)), BTreeSet::new(), "{name}");
        for (at, (tensor, dims, planned)) in tensors.iter().enumerate() {
            if planned.always {
                assert!(said(&model(Some(at))).contains("tensor-missing"), "{name} without {tensor}");
            }
            // The number of tokens, by which it is measured, is another rule's.
            let Some(axis) =
                planned.dims.iter().position(Option::is_some).filter(|_| tensor != "output.bias")
            else {
                continue;
            };
            let mut dims = dims.clone();
            dims[axis] += 1;
            let changed = model(Some(at)).tensor(Tensor::f32(tensor, &dims));
            assert_eq!(said(&changed), BTreeSet::from(["shape-mismatch"]), "{name}: {tensor} {dims:?}");
        }
    }
}
