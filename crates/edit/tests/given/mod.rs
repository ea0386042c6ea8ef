//! What must hold of everything that is given beside a model: patches, descriptions, headers of arrays. Tests and the fuzzer
//! call it.

use ggufkit_edit::patch::PatchDocument;
use ggufkit_edit::{Description, Document};
use ggufkit_format::{Options, Piece, View, parse};
use ggufkit_io::{npy, safetensors};
use ggufkit_testkit::sources::Memory;
use ggufkit_testkit::{Builder, Tensor};

/// Files that are made of a description are looked at up to this length.
const MOST: u64 = 1 << 20;

/// The model that patches are applied to.
fn model() -> Vec<u8> {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.alignment", 64_u32)
        .kv("llama.block_count", 1_u32)
        .kv("tokenizer.ggml.tokens", vec!["a", "b", "c"])
        .kv("tokenizer.ggml.scores", vec![0.5_f32, 1.5, 2.5])
        .kv("tokenizer.ggml.token_type", vec![1_i32, 2, 3])
        .tensor(Tensor::f32("blk.0.attn_q.weight", &[4, 2]))
        .tensor(Tensor::f32("output.weight", &[4]))
        .bytes()
}

/// Takes the bytes for each kind of file in turn.
pub(crate) fn given(bytes: &[u8]) {
    let source = Memory::new(bytes);
    if let Ok(array) = npy::read(&source) {
        assert!(array.data.end() <= bytes.len() as u64);
    }
    if let Ok(file) = safetensors::read(&source) {
        assert!(file.tensors.iter().all(|tensor| tensor.data.end() <= bytes.len() as u64));
    }
    if let Ok(json) = serde_json::from_slice(bytes) {
        patched(&json);
        described(&json);
    }
}

/// A document that is read is read again from what it is written as; a model that it changes is whole.
fn patched(json: &serde_json::Value) {
    let Ok(patch) = PatchDocument::from_json(json) else { return };
    let again = PatchDocument::from_json(&patch.to_json()).unwrap();
    // Not a number is not itself.
    assert_eq!(format!("{again:?}"), format!("{patch:?}"));
    let bytes = model();
    let index = parse(&bytes, Options::new().with_size(Some(bytes.len() as u64))).into_result().unwrap();
    let mut document = Document::of(View::new(&index, &bytes), bytes.len() as u64).unwrap();
    if patch.operations.iter().try_for_each(|one| one.apply(&mut document).map(drop)).is_err() {
        return;
    }
    let Ok(plan) = document.plan() else { return };
    plan.verify(bytes.len() as u64).unwrap();
    if plan.len() <= MOST {
        let made = plan.render(&bytes).unwrap();
        let read = parse(&made, Options::new().with_size(Some(plan.len())));
        assert!(read.into_result().is_ok_and(|index| index.is_complete()));
    }
}

/// A file that is described is what its description says.
fn described(json: &serde_json::Value) {
    let Ok(description) = Description::from_json(json) else { return };
    let mut builder = description.builder();
    for tensor in &description.tensors {
        if let (Some(dims), Some(ty)) = (&tensor.dims, tensor.tensor_type) {
            builder.tensor(&tensor.name, dims, ty, ggufkit_edit::Data::Zeros);
        }
    }
    let Ok(plan) = builder.plan_zeros() else { return };
    let zeros: u64 =
        plan.pieces().iter().map(|one| if matches!(one, Piece::Zeros(_)) { one.len() } else { 0 }).sum();
    if zeros > MOST {
        return;
    }
    let made = plan.render(&[]).unwrap();
    let index = parse(&made, Options::new().with_size(Some(plan.len()))).into_result().unwrap();
    assert!(index.is_complete());
    let view = View::new(&index, &made);
    let keys: Vec<&[u8]> = view.kvs().map(|(key, _)| key.0).collect();
    assert_eq!(keys, description.kvs.iter().map(|(key, _)| &key[..]).collect::<Vec<_>>());
}
