//! Operations that are given at once: each names what the file has before any of them, however it is spelt.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use ggufkit_edit::{Document, Done, Element, Given, Operation, OperationError, members};
use ggufkit_format::{Index, Options, Value, View, parse};
use ggufkit_testkit::{Builder, Tensor};

const TAGS: &[u8] = b"general.tags";

fn read(bytes: &[u8]) -> Index {
    parse(bytes, Options::new().with_size(Some(bytes.len() as u64))).into_result().unwrap()
}

type Made = Result<(Vec<Done>, Vec<u8>), (usize, OperationError)>;

/// What becomes of a file by operations that are given at once.
fn made(bytes: &[u8], operations: &[Operation]) -> Made {
    let index = read(bytes);
    let mut documents = [Document::of(View::new(&index, bytes), bytes.len() as u64).unwrap()];
    let done = members::apply_together(operations, &mut documents)?;
    let [document] = documents;
    Ok((done.concat(), document.plan().unwrap().render(bytes).unwrap()))
}

fn texts(bytes: &[u8], key: &str) -> Vec<String> {
    let index = read(bytes);
    match View::new(&index, bytes).get(key) {
        Some(Value::Array(array)) => array.iter().map(|item| item.as_str().unwrap().to_owned()).collect(),
        _ => Vec::new(),
    }
}

fn file() -> Vec<u8> {
    Builder::new()
        .kv("general.tags", vec!["a", "b", "c", "d"])
        .kv("general.languages", vec!["x", "y", "z"])
        .kv("general.name", "n")
        .kv("tokenizer.ggml.tokens", vec!["<s>", "</s>", "q"])
        .kv("tokenizer.ggml.scores", vec!["0", "1", "2"])
        .tensor(Tensor::f32("t", &[8]))
        .tensor(Tensor::f32("u", &[8]))
        .bytes()
}

fn remove(key: &[u8], element: Element) -> Operation {
    Operation::Remove { key: key.to_vec(), element }
}

fn text(text: &str) -> Given {
    Given::Text(text.to_owned())
}

fn set(key: &[u8], element: Element, value: &str) -> Operation {
    Operation::Set { key: key.to_vec(), element: Some(element), ty: None, value: text(value) }
}

fn insert(before: Option<Element>, value: &str) -> Operation {
    Operation::Insert { key: TAGS.to_vec(), before, value: text(value) }
}

use Element::{At, FromEnd, Token};

#[test]
fn an_element_is_the_one_that_the_file_has_there_however_it_is_named() {
    let from_start = |at| remove(TAGS, At(at));
    let from_end = |back| remove(TAGS, FromEnd(back));
    for (operations, left) in [
        (vec![from_end(3), from_start(2)], "ad"),
        (vec![from_start(2), from_end(3)], "ad"),
        (vec![from_end(1), from_start(3)], "abc"),
        (vec![from_start(1), remove(b"general.languages", At(1)), from_start(1)], "acd"),
        (vec![from_start(0), from_start(1), from_start(2), from_start(3)], ""),
        (vec![from_start(0), Operation::Unset(TAGS.to_vec())], ""),
        (vec![Operation::Unset(TAGS.to_vec()), from_end(1)], ""),
        (vec![insert(Some(At(1)), "x"), insert(Some(FromEnd(3)), "y"), insert(None, "z")], "axybcdz"),
        (vec![insert(Some(At(0)), "x"), set(TAGS, At(0), "A"), set(TAGS, FromEnd(1), "D")], "xAbcD"),
        (vec![from_start(0), set(TAGS, At(1), "B"), insert(Some(At(2)), "x"), from_end(1)], "Bxc"),
        (vec![set(TAGS, At(3), "1"), set(TAGS, FromEnd(1), "2")], "abc2"),
    ] {
        let (_, bytes) = made(&file(), &operations).unwrap();
        assert_eq!(texts(&bytes, "general.tags").concat(), left, "{operations:?}");
    }
    let scores = b"tokenizer.ggml.scores";
    let operations = [remove(scores, Token(b"</s>".to_vec())), remove(scores, At(1)), remove(scores, At(2))];
    assert_eq!(texts(&made(&file(), &operations).unwrap().1, "tokenizer.ggml.scores"), ["0"]);
}

#[test]
fn what_was_done_is_told_by_the_numbers_that_were_named() {
    let (done, _) = made(&file(), &[remove(TAGS, At(1)), remove(TAGS, FromEnd(2))]).unwrap();
    let told: Vec<_> = done.iter().map(|done| done.element).collect();
    assert_eq!(told, [Some(1), Some(2)]);
}

#[test]
fn what_is_taken_out_twice_is_taken_out_once() {
    let unset = |key: &str| Operation::Unset(key.into());
    let drop = |name: &str| Operation::DropTensor(name.into());
    for operations in [
        vec![unset("general.name"), unset("general.tags"), unset("general.name")],
        vec![unset("general.*"), unset("general.name")],
        vec![drop("t"), drop("u"), drop("t")],
        vec![drop("[tu]"), drop("t")],
    ] {
        let (done, _) = made(&file(), &operations).unwrap();
        let mut names: Vec<_> = done.iter().map(|done| done.name.clone()).collect();
        names.sort();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "{operations:?}");
    }
    // What was never there is missed.
    for (operations, error) in [
        (vec![unset("general.name"), unset("no")], OperationError::NoKey(b"no".to_vec())),
        (vec![drop("t"), drop("no")], OperationError::NoTensor(b"no".to_vec())),
        (
            vec![remove(TAGS, At(3)), remove(TAGS, At(4))],
            OperationError::NoElement { key: TAGS.to_vec(), element: 4, len: Some(3) },
        ),
    ] {
        assert_eq!(made(&file(), &operations).unwrap_err(), (0, error));
    }
}

/// The numbers of an array that is set as a whole are its own.
#[test]
fn behind_a_whole_value_numbers_are_those_of_it() {
    let whole = Operation::Set { key: TAGS.to_vec(), element: None, ty: None, value: text(r#"["p", "q"]"#) };
    let (_, bytes) = made(&file(), &[whole, set(TAGS, At(1), "r"), insert(Some(At(0)), "o")]).unwrap();
    assert_eq!(texts(&bytes, "general.tags").concat(), "opr");
}
