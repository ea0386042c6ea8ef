//! What must hold of every repair, whatever the bytes are. Tests and the fuzzer call it.

use ggufkit_edit::repair::{Duplicates, Input, Policy, RepairError, repair};
use ggufkit_format::{ByteStr, Dialect, Index, Options, View, parse};
use ggufkit_testkit::sources::Memory;

/// What a repair came to: the steps, what is made, the layout that was read.
struct Mended {
    steps: Vec<&'static str>,
    made: Vec<Vec<u8>>,
    dialect: Dialect,
}

/// The repaired file, or the words of the reasons why there is none.
fn run(bytes: &[u8], policy: &Policy) -> Result<Mended, Vec<&'static str>> {
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
            Ok(Mended {
                steps: outcome.steps.iter().map(|step| step.word).collect(),
                made: outcome.outputs.iter().map(render).collect(),
                dialect: outcome.dialect,
            })
        }
        Err(RepairError::Refused(refusal)) => {
            assert!(!refusal.reasons.is_empty(), "a refusal says why");
            Err(refusal.reasons.iter().map(|reason| reason.word).collect())
        }
        Err(RepairError::Io(error)) => panic!("{error}"),
    }
}

/// Every way to repair a file in which one is made: what may be done about keys that occur again, about bytes behind the
/// data, and whether findings alone decide.
fn policies() -> impl Iterator<Item = Policy> {
    let duplicates = [Duplicates::Refuse, Duplicates::KeepFirst, Duplicates::KeepLast];
    let own = duplicates.into_iter().flat_map(|one| [(one, false, true), (one, true, true)]);
    // Findings propose nothing that hangs on which of two values is right.
    own.chain([(Duplicates::Refuse, false, false), (Duplicates::Refuse, true, false)]).map(
        |(duplicates, cut_trailing, own)| {
            let mut policy = Policy::default();
            (policy.duplicates, policy.cut_trailing, policy.own) = (duplicates, cut_trailing, own);
            policy
        },
    )
}

/// Repairs the bytes under every policy and holds the result against what is promised: it is read to its end, keeps the
/// tensors' bytes, and a repair of it does nothing. Where there is nothing to do the file is as it was.
pub(crate) fn mended(bytes: &[u8]) {
    mended_and(bytes, &|_, _| {});
}

/// The same, and what else holds of a file and what was made of it.
pub(crate) fn mended_and(bytes: &[u8], also: &dyn Fn(&[u8], &[u8])) {
    for policy in policies() {
        let Ok(Mended { steps, made, dialect }) = run(bytes, &policy) else { continue };
        let [out] = made.as_slice() else { panic!("one file is made") };
        if steps.is_empty() {
            assert!(out == bytes, "nothing to do, and another file: {policy:?}");
            continue;
        }
        let index = parse(out, Options::new().with_size(Some(out.len() as u64))).into_result().unwrap();
        let again = run(out, &policy).expect("what was repaired is not refused");
        assert_eq!(again.steps, [""; 0], "what was repaired by {steps:?} needs no repair: {policy:?}");
        assert!(again.made == made, "what was repaired stays as it is: {policy:?}");
        same_tensors(bytes, dialect, out, &index);
        if dialect == Dialect::STANDARD {
            also(bytes, out);
        }
    }
    let mut separate = Policy::default();
    separate.separate = true;
    if let Ok(Mended { made, .. }) = run(bytes, &separate) {
        for part in made {
            let again = run(&part, &separate).err().expect("a part is no longer joined");
            assert_eq!(again, ["not-joined"]);
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
