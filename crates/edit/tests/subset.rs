//! Files of some tensors of a model.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use ggufkit_edit::EditError;
use ggufkit_edit::subset::{Kept, Metadata, subset};
use ggufkit_format::spec::TensorType;
use ggufkit_format::{Index, Piece, PlanError, Span, View};
use ggufkit_testkit::{Builder, Tensor};

fn model(align: u32) -> Vec<u8> {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("split.no", 0_u16)
        .alignment(align)
        .kv("split.count", 1_u16)
        .tensor(Tensor::f32("a", &[4]).data((0..16).collect::<Vec<u8>>()))
        .tensor(Tensor::f32("b", &[2, 3]).data((100..124).collect::<Vec<u8>>()))
        .bytes()
}

fn read(bytes: &[u8]) -> Index {
    ggufkit_format::parse(bytes, ggufkit_format::Options::new()).into_result().unwrap()
}

#[test]
fn the_metadata_and_the_alignment_stay_and_the_split_goes() {
    let bytes = model(64);
    let index = read(&bytes);
    let view = View::new(&index, &bytes);
    let place = index.data_span(&index.tensors()[1]).unwrap();
    // The last two rows of b: bytes 8 to 24 of its data.
    let kept = Kept {
        name: b"b",
        dims: &[2, 2],
        tensor_type: TensorType::F32,
        data: Span::new(place.start + 8, 16),
    };
    let plan = subset(view, bytes.len() as u64, &[kept], Metadata::Keep).unwrap();
    let made = plan.render(&bytes).unwrap();
    assert_eq!(made.len() as u64, plan.len());
    let new = read(&made);
    let keys: Vec<_> = View::new(&new, &made).kvs().map(|(key, _)| key.display().to_string()).collect();
    assert_eq!(keys, ["general.architecture", "general.alignment"]);
    assert_eq!((new.alignment(), new.tensors().len(), made.len() % 64), (64, 1, 0));
    assert_eq!(new.dims(&new.tensors()[0]), [2, 2]);
    let data = new.data_span(&new.tensors()[0]).unwrap();
    assert_eq!(&made[data.start as usize..data.end() as usize], (108..124).collect::<Vec<u8>>());
    // Behind the head exactly the chosen bytes are copied.
    let copied = plan.pieces().iter().filter_map(|piece| match piece {
        Piece::Copy(span) if span.start >= index.head_end() => Some(*span),
        _ => None,
    });
    assert_eq!(copied.collect::<Vec<_>>(), [Span::new(place.start + 8, 16)]);
    let plan = subset(view, bytes.len() as u64, &[kept], Metadata::LeaveOut).unwrap();
    let bare = plan.render(&bytes).unwrap();
    let bare = read(&bare);
    assert_eq!((bare.kvs().len(), bare.alignment()), (1, 64));
}

#[test]
fn other_tensors_may_be_anywhere() {
    // The file ends within b.
    let whole = model(32);
    let index = read(&whole);
    let cut = index.data_span(&index.tensors()[1]).unwrap().start + 4;
    let bytes = &whole[..cut as usize];
    let data = index.data_span(&index.tensors()[0]).unwrap();
    let kept = Kept { name: b"a", dims: &[4], tensor_type: TensorType::F32, data };
    let plan = subset(View::new(&index, bytes), cut, &[kept], Metadata::Keep).unwrap();
    let made = plan.render(bytes).unwrap();
    let new = read(&made);
    let data = new.data_span(&new.tensors()[0]).unwrap();
    assert_eq!(&made[data.start as usize..data.end() as usize], (0..16).collect::<Vec<u8>>());
    assert_eq!(made.len() as u64, data.end() + 16, "padded, and nothing behind it");
    // Bytes that two tensors claim would fill a disk out of nothing.
    let other = Kept { name: b"c", ..kept };
    let twice = subset(View::new(&index, bytes), cut, &[kept, other], Metadata::Keep);
    assert!(matches!(twice, Err(EditError::Plan(PlanError::Twice(_)))), "{twice:?}");
    let same = subset(View::new(&index, bytes), cut, &[kept, kept], Metadata::Keep);
    assert_eq!(same.unwrap_err(), EditError::SameName((*b"a").into()));
}
