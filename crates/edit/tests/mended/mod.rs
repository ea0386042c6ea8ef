//! What must hold of every repair, whatever the bytes are. Tests and the fuzzer call it.

use ggufkit_edit::repair::{Duplicates, Input, Policy, RepairError, repair};
use ggufkit_format::{ByteStr, Dialect, Index, Options, View, parse};
use ggufkit_testkit::sources::Memory;

fn run(bytes: &[u8], policy: &Policy) -> Option<(usize, Vec<Vec<u8>>, Dialect)> {
    let source = Memory::new(bytes);
    let name = Some("model.gguf");
    let input =
        Input { source: &source, label: ByteStr(b"model.gguf"), file_name: name, read: Options::new() };
    match repair(&input, policy) {
        Ok(outcome) => {
            let render = |output: &ggufkit_edit::repair::Output| {
                output.plan.verify(bytes.len() as u64).unwrap();
                let made = output.plan.render(bytes).unwrap();
                assert_eq!(made.len() as u64, output.plan.len());
                made
            };
            let made = outcome.outputs.iter().map(render).collect();
            Some((outcome.steps.len(), made, outcome.dialect))
        }
        Err(RepairError::Refused(refusal)) => {
            assert!(!refusal.reasons.is_empty(), "a refusal says why");
            None
        }
        Err(RepairError::Io(error)) => panic!("{error}"),
    }
}

/// Repairs the bytes under every policy and holds the result against what is promised: it is read to its end, keeps the
/// tensors' bytes, and needs no repair.
pub(crate) fn mended(bytes: &[u8]) {
    for duplicates in [Duplicates::Refuse, Duplicates::KeepFirst, Duplicates::KeepLast] {
        let mut policy = Policy::default();
        policy.duplicates = duplicates;
        let Some((steps, made, dialect)) = run(bytes, &policy) else { continue };
        for out in &made {
            let index = parse(out, Options::new().with_size(Some(out.len() as u64))).into_result().unwrap();
            if steps == 0 {
                continue;
            }
            let (again, ..) = run(out, &policy).expect("what was repaired is not refused");
            assert_eq!(again, 0, "what was repaired needs no repair");
            same_tensors(bytes, dialect, out, &index);
        }
    }
}

/// The tensors that can be told apart by their names hold the bytes that they held.
fn same_tensors(bytes: &[u8], dialect: Dialect, out: &[u8], index: &Index) {
    let options = Options::new().with_size(Some(bytes.len() as u64)).with_dialect(dialect);
    let Some(before) = parse(bytes, options).index else { return };
    if !before.is_complete() {
        return;
    }
    let (old, new) = (View::new(&before, bytes), View::new(index, out));
    assert_eq!(before.tensors().len(), index.tensors().len());
    for ((_, one), (_, other)) in old.tensors().zip(new.tensors()) {
        assert_eq!((one.tensor_type, before.dims(one)), (other.tensor_type, index.dims(other)));
        if let (Ok(from), Ok(to)) = (before.data_span(one), index.data_span(other))
            && let Some(data) = from.slice(bytes, 0)
        {
            assert_eq!(to.slice(out, 0), Some(data), "a tensor's bytes");
        }
    }
}
