//! Each kind of note: when it is said, and when not.

use std::num::NonZeroUsize;

use ggufkit::edit::quantize::Request;
use ggufkit::edit::shards::Member;
use ggufkit::format::{Options, ReadAt as _, View};
use ggufkit::io::{FileSource, HeadBuffer};
use ggufkit_testkit::{Builder, Tensor};

use super::*;

/// What becomes of a model of these tensors, rows of so many values.
fn targets(names: &[(&str, u64)], mixture: &str, wishes: &Wishes) -> Vec<Target> {
    let mut model = Builder::new().kv("general.architecture", "llama");
    for (name, row) in names {
        let bytes = usize::try_from(row * 2 * 4).unwrap();
        model = model.tensor(Tensor::f32(name, &[*row, 2]).data(vec![0; bytes]));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.gguf");
    std::fs::write(&path, model.bytes()).unwrap();
    let source = FileSource::open(&path).unwrap();
    let mut buffer = HeadBuffer::new();
    let index = buffer.read(&source, Options::new()).unwrap().into_result().unwrap();
    let head = buffer.into_bytes();
    let member = Member { view: View::new(&index, &head), size: source.size().unwrap(), start: 0 };
    let request =
        Request { mixture: Mixture::of_name(mixture), wishes: wishes.clone(), ..Request::default() };
    Quantization::of(&[member], &[&source], &request, NonZeroUsize::MIN).unwrap().tensors().to_vec()
}

fn rules(texts: &[&str]) -> Wishes {
    Wishes { rules: texts.iter().map(|text| Rule::parse(text).unwrap()).collect(), ..Wishes::default() }
}

const NAMES: &[(&str, u64)] = &[
    ("token_embd.weight", 256),
    ("blk.0.attn_norm.weight", 256),
    ("blk.0.attn_output.weight", 256),
    ("blk.0.ffn_down.weight", 256),
    ("blk.0.ffn_up.weight", 96),
    ("output.weight", 256),
];

#[test]
fn a_rule_without_effect_is_told_with_its_reason() {
    let said = |texts: &[&str], more: Wishes| {
        let wishes = Wishes { rules: rules(texts).rules, ..more };
        idle(&targets(NAMES, "Q4_0", &wishes), &wishes.rules)
    };
    assert_eq!(said(&["ffn=Q8_0", "attn_output=Q8_0"], Wishes::default()), [""; 0]);
    assert_eq!(said(&["nope=Q8_0"], Wishes::default()), ["no tensor has in its name: 'nope'"]);
    assert_eq!(
        said(&["norm=Q8_0"], Wishes::default()),
        ["these rules are only in names of tensors that are not quantized: 'norm'"]
    );
    assert_eq!(
        said(&["ffn=Q8_0", "ffn_down=Q6_K"], Wishes::default()),
        ["the first rule that is in a name counts, so these do not: 'ffn_down' behind 'ffn'"]
    );
    let output = || Wishes { output: Some(ggufkit::format::spec::TensorType::Q8_0), ..Wishes::default() };
    assert_eq!(
        said(&["^output=Q8_0"], output()),
        ["these rules are only in names of tensors that other options give a type: '^output'"]
    );
    assert_eq!(said(&["output=Q8_0"], output()), [""; 0], "attn_output is by it");
    // A type that the rows do not fit was meant by the rule all the same.
    assert_eq!(said(&["ffn_up=Q6_K"], Wishes::default()), [""; 0]);
}

#[test]
fn a_rule_that_is_a_name_and_in_others_is_told() {
    let said = |text: &str| wide(&targets(NAMES, "Q4_0", &rules(&[text])), &rules(&[text]).rules);
    let expected =
        "'output.weight' is in blk.0.attn_output.weight as well; '^output.weight$' is that one alone";
    assert_eq!(said("output.weight=Q8_0"), [expected]);
    assert_eq!(said("^output.weight$=Q8_0"), [""; 0]);
    assert_eq!(said("blk.0.ffn_down.weight=Q8_0"), [""; 0]);
}

#[test]
fn options_that_do_not_count_are_told_in_one_note() {
    let all = Wishes {
        pure: true,
        output: rules(&["a=F16"]).rules.first().map(|rule| rule.tensor_type),
        ..rules(&["a=F16"])
    };
    let copy = Wishes { copy: true, ..all.clone() };
    let expected = "COPY passes over --tensor-type, --output-tensor-type, --pure, as in llama-quantize";
    assert_eq!(passed_over(None, &copy).as_deref(), Some(expected));
    let plain = passed_over(Mixture::of_name("F16"), &all);
    assert_eq!(plain.as_deref(), Some("F16 passes over --tensor-type, as in llama-quantize"));
    assert_eq!(passed_over(Mixture::of_name("Q4_0"), &all), None);
}

#[test]
fn a_name_without_a_tensor_of_it_is_told_but_not_beside_a_recipe() {
    let said = |mixture: &str, wishes: &Wishes| {
        name_alone(&targets(NAMES, mixture, wishes), Mixture::of_name(mixture), wishes)
    };
    let expected = "the file is called Q4_0, and no tensor has its type from there";
    assert_eq!(said("Q4_0", &rules(&[".*=Q8_0"])).as_deref(), Some(expected));
    assert_eq!(said("Q4_0", &rules(&["ffn=Q8_0"])), None);
    let recipe = Recipe::parse("# gguf recipe 1\n.*=F32\n").ok();
    assert_eq!(said("Q4_0", &Wishes { recipe, ..Wishes::default() }), None);
}

#[test]
fn importance_is_missed_where_it_would_help_but_not_at_both_ends() {
    let with = |named: &[&str], importance: Supply| {
        let mut targets = targets(NAMES, "Q4_0", &Wishes::default());
        for target in &mut targets {
            let is_named = named.contains(&target.name.escape_ascii().to_string().as_str());
            target.importance = if is_named { importance } else { Supply::Unused };
        }
        targets
    };
    let ends = with(&["token_embd.weight", "output.weight"], Supply::Missing);
    assert_eq!(missing(&ends, |_| false), None);
    let more = with(&["token_embd.weight", "blk.0.ffn_down.weight"], Supply::Missing);
    assert_eq!(missing(&more, |_| false).as_deref(), Some("no importance for blk.0.ffn_down.weight"));
    assert_eq!(missing(&more, |_| true), None, "told with its reason");
    assert_eq!(unused(&more), None);
    assert!(unused(&with(&[], Supply::There)).unwrap().contains("no type here looks at importance"));
}

#[test]
fn what_does_not_fit_and_what_is_not_quantized_is_told() {
    let targets = targets(NAMES, "Q6_K", &Wishes::default());
    let expected = "1 tensor has another type than was meant, as no whole number of its blocks makes a row: blk.0.ffn_up.weight";
    assert_eq!(shaped(&targets).as_deref(), Some(expected));
    assert_eq!(nothing(&targets, false), None);
    assert_eq!(nothing(&[], true).as_deref(), Some("there are no tensors, and so nothing to quantize"));
    let none: Vec<Target> = targets.into_iter().filter(|target| target.why == Why::NotEligible).collect();
    assert!(
        nothing(&none, true)
            .unwrap()
            .starts_with("nothing here is quantized: llama.cpp quantizes no tensors")
    );
}
