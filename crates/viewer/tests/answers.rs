//! Every question about every file at hand: an answer that is JSON, or a refusal; never anything else.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeSet;

use common::{Held, ask, files, question, sample, session};
use ggufkit_format::{Detail, Options, View, parse};
use ggufkit_testkit::{Builder, Tensor};
use ggufkit_viewer::answer::{FileInput, Kind, MAX_BYTES, MAX_ROWS, ModelInput, Question, Session};
use serde_json::Value;

/// Files at hand, and the beginnings of some of them.
fn all() -> Vec<(String, Vec<u8>)> {
    let mut all = files();
    let sample = sample();
    for cut in [0, 3, 4, 23, 24, 60, 1_000, 5_000, 11_491, 11_500, 92_160, 396_000] {
        all.push((format!("sample cut at {cut}"), sample[..cut].to_vec()));
    }
    all
}

/// Whether a page reads every whole number of a document as it is.
fn unrounded(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            let whole = number.as_u64().or(number.as_i64().map(i64::unsigned_abs));
            whole.is_none_or(|whole| whole < 1 << 53)
        }
        Value::Array(all) => all.iter().all(unrounded),
        Value::Object(all) => all.values().all(unrounded),
        _ => true,
    }
}

/// Sentences of ours in an answer that are in English alone. What the system says is in its own words.
fn english(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(all) => all.iter().for_each(|value| english(value, found)),
        Value::Object(all) => match (all.get("en"), all.get("zh")) {
            (Some(Value::String(en)), Some(Value::String(zh))) if en == zh => found.push(en.clone()),
            _ if all.get("kind").is_some_and(|kind| kind == "io") => {}
            _ => all.values().for_each(|value| english(value, found)),
        },
        _ => {}
    }
}

/// A model whose every number is as large as it can be.
fn huge() -> Vec<u8> {
    let mut builder =
        Builder::new().kv("llama.many", vec![u64::MAX; 120]).kv("general.architecture", "llama");
    for key in [
        "block_count",
        "context_length",
        "embedding_length",
        "feed_forward_length",
        "attention.head_count",
        "attention.head_count_kv",
        "attention.key_length",
        "attention.value_length",
        "attention.sliding_window",
    ] {
        builder = builder.kv(format!("llama.{key}"), u64::MAX);
    }
    // A layer of any number.
    builder.tensor(Tensor::f32("blk.18446744073709551615.attn_q.weight", &[8])).bytes()
}

#[test]
fn every_answer_is_a_document_or_a_refusal() {
    let numbers = ["0", "1", "7", "18446744073709551615"];
    let mut answered = BTreeSet::new();
    for (name, bytes) in all().into_iter().chain([("huge".to_owned(), huge())]) {
        let session = session(&[(name.as_str(), bytes.clone()), ("b.gguf", sample())]);
        for known in Session::questions() {
            let own = Question::new(known).with("model", 0).with("a", 0).with("b", 1).with("what", "Q4_K");
            let own =
                own.with("template", "default").with("messages", "[]").with("name", "token_embd.weight");
            let rest = [
                "file", "kv", "from", "start", "offset", "tensor", "block", "element", "row_from", "col_from",
            ];
            for n in numbers {
                let mut question = rest.iter().fold(own.clone(), |question, key| question.with(*key, n));
                for (key, value) in [("count", 100), ("length", 256), ("row_to", 64), ("col_to", 64)] {
                    question = question.with(key, value);
                }
                // The number of values of one question is bounded, so that these may not be taken.
                let question = question.with("width", 16).with("height", 16).with("lang", "zh");
                match ask(&session, &question) {
                    Ok(answer) => {
                        assert!(unrounded(&answer), "{name}: {known}: {answer}");
                        let mut found = Vec::new();
                        english(&answer, &mut found);
                        assert!(found.is_empty(), "{name}: {known}: in English alone: {found:?}");
                        answered.insert(known);
                    }
                    Err(refusal) => {
                        let told: Value = serde_json::from_slice(&refusal.json()).unwrap();
                        let zh = told["error"]["message_zh"].as_str().unwrap();
                        assert!(zh != refusal.message(), "{name}: {known}: in English alone: {zh}");
                        assert!(!refusal.message().is_empty(), "{name}: {known}");
                    }
                }
            }
        }
    }
    // Prompts are made by the command.
    let never: Vec<&str> = Session::questions().filter(|known| !answered.contains(known)).collect();
    assert_eq!(never, ["render"], "always refused");
}

#[test]
fn pictures_blocks_and_values_of_every_tensor() {
    for (name, bytes) in files() {
        let session = session(&[(name.as_str(), bytes)]);
        let Ok(tensors) = ask(&session, &question("tensors?model=0")) else { continue };
        for row in tensors["tensors"].as_array().unwrap().iter().take(40) {
            let (tensor, readable) = (row["index"].as_u64().unwrap(), row["readable"].as_bool().unwrap());
            let text = |name: &str, more: &str| question(&format!("{name}?file=0&tensor={tensor}&{more}"));
            let rectangle = "row_from=0&row_to=9&col_from=0&col_to=33&width=5&height=3";
            let answers = [
                ask(&session, &text("stats", "x=y")),
                ask(&session, &text("values", rectangle)),
                ask(&session, &text("block", "block=0&lang=en")),
                ask(&session, &text("worked", "block=0&element=0&lang=zh")),
            ];
            if readable && row["elements"] != 0 {
                for answer in &answers[..3] {
                    assert!(answer.is_ok(), "{name}, tensor {tensor}: {answer:?}");
                }
            }
        }
    }
}

#[test]
fn regions_tile_every_file() {
    for (name, bytes) in all() {
        let session = session(&[(name.as_str(), bytes.clone())]);
        let map = ask(&session, &question("map?model=0")).unwrap();
        let mut at = 0;
        for region in map["files"][0]["regions"].as_array().unwrap() {
            assert_eq!(region["start"], at, "{name}");
            at = region["end"].as_u64().unwrap();
            assert!(region["start"].as_u64().unwrap() < at, "{name}: an empty region");
        }
        assert_eq!(at, bytes.len() as u64, "{name}");
    }
}

#[test]
fn steps_are_the_fields() {
    for (name, bytes) in all() {
        let session = session(&[(name.as_str(), bytes.clone())]);
        let Some(index) = parse(&bytes, Options::new().with_size(Some(bytes.len() as u64))).index else {
            assert_eq!(
                ask(&session, &question("steps?file=0&from=1&count=1")).unwrap_err().kind(),
                Kind::Malformed
            );
            continue;
        };
        // What is read of a file may end before it does; fields are of what was read.
        let view = View::new(&index, &bytes);
        let fields: Vec<_> =
            view.fields(Detail::First(4)).map(|field| (field.path.to_string(), field.span)).collect();
        let fields: Vec<_> = fields.into_iter().filter(|(path, _)| path != "unparsed").collect();
        let mut found = Vec::new();
        loop {
            let from = found.len() + 1;
            let answer =
                ask(&session, &question(&format!("steps?file=0&from={from}&count=700&lang=en"))).unwrap();
            let steps = answer["steps"].as_array().unwrap();
            for (at, step) in steps.iter().enumerate() {
                assert_eq!(step["step"], (from + at) as u64, "{name}");
                found.push((
                    step["path"].as_str().unwrap().to_owned(),
                    step["start"].as_u64().unwrap(),
                    step["end"].as_u64().unwrap(),
                ));
            }
            if steps.len() < 700 {
                assert_eq!(answer["total"], found.len() as u64, "{name}");
                break;
            }
        }
        let mut numbered = found.iter().filter(|(path, ..)| path != "unparsed");
        for (path, span) in &fields {
            assert_eq!(numbered.next(), Some(&(path.clone(), span.start, span.end())), "{name}");
        }
        assert_eq!(numbered.next(), None, "{name}");
        // Any step may be begun at, and is found by its bytes.
        for (at, (path, start, end)) in
            found.iter().enumerate().step_by(1 + found.len() / 50).filter(|(_, step)| step.1 < step.2)
        {
            let answer =
                ask(&session, &question(&format!("steps?file=0&from={}&count=1&lang=zh", at + 1))).unwrap();
            assert_eq!(answer["steps"][0]["path"], *path, "{name}");
            for offset in [*start, end - 1] {
                let answer = ask(&session, &question(&format!("step_at?file=0&offset={offset}"))).unwrap();
                assert_eq!(answer["step"], (at + 1) as u64, "{name} at {offset}");
            }
        }
    }
}

/// What the bytes of a span are is told without a gap, wherever it begins.
#[test]
fn fields_of_bytes_cover_them() {
    for (name, bytes) in all().into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
        let session = session(&[(name.as_str(), bytes.clone())]);
        for start in (0..bytes.len()).step_by(1 + bytes.len() / 40) {
            let answer =
                ask(&session, &question(&format!("bytes?file=0&start={start}&length=200&lang=en"))).unwrap();
            let (mut at, end) = (start as u64, answer["end"].as_u64().unwrap());
            for field in answer["fields"].as_array().unwrap() {
                let (from, to) = (field["start"].as_u64().unwrap(), field["end"].as_u64().unwrap());
                assert!(
                    from <= at && from < end && to > start as u64,
                    "{name} at {start}: {field} after {at}"
                );
                at = at.max(to);
            }
            assert!(at >= end, "{name} at {start}: fields end at {at}, bytes at {end}");
        }
    }
}

#[test]
fn what_is_too_much_is_refused() {
    let session = session(&[("a.gguf", sample())]);
    let kind = |text: &str| ask(&session, &question(text)).unwrap_err().kind();
    assert_eq!(kind(&format!("bytes?file=0&start=0&length={}", MAX_BYTES + 1)), Kind::Limit);
    assert_eq!(kind(&format!("steps?file=0&from=1&count={}", MAX_ROWS + 1)), Kind::Limit);
    assert_eq!(kind(&format!("tokens?model=0&from=0&count={}", MAX_ROWS + 1)), Kind::Limit);
    let picture = "values?file=0&tensor=2&row_from=0&row_to=1&col_from=0&col_to=1&height=1";
    assert_eq!(kind(&format!("{picture}&width=513")), Kind::Limit);
    assert_eq!(kind("bytes?file=9&start=0&length=1"), Kind::NotFound);
    assert_eq!(kind("bytes?file=0&start=-1&length=1"), Kind::Usage);
    assert_eq!(kind("bytes?file=0&start=+1&length=1"), Kind::Usage);
    assert_eq!(kind("bytes?file=0&length=1"), Kind::Usage);
    assert_eq!(kind("map?model=0x0"), Kind::Usage);
    assert_eq!(kind("show?model=0&lang=fr"), Kind::Usage);
    assert_eq!(kind("../session"), Kind::NotFound);
    assert_eq!(kind("render?model=0&template=default&messages=[]"), Kind::Unsupported);
}

/// A tensor as a picture has the values of the tensor, cell by cell.
#[test]
fn cells_hold_the_values_of_their_rectangle() {
    use base64::Engine as _;
    let values: Vec<f32> = (0..24).map(|n| n as f32 - 3.0).collect();
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let file = Builder::new().tensor(Tensor::f32("t", &[6, 4]).data(data)).bytes();
    let session = session(&[("a.gguf", file)]);
    let floats = |value: &Value| -> Vec<f32> {
        let bytes = base64::engine::general_purpose::STANDARD.decode(value.as_str().unwrap()).unwrap();
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
    };
    let ask = |rest: &str| ask(&session, &question(&format!("values?file=0&tensor=0&{rest}"))).unwrap();
    let exact = ask("row_from=1&row_to=3&col_from=2&col_to=5&width=99&height=99");
    assert_eq!((&exact["width"], &exact["height"], &exact["exact"]), (&3.into(), &2.into(), &true.into()));
    assert_eq!(floats(&exact["mean"]), [5.0, 6.0, 7.0, 11.0, 12.0, 13.0]);
    // Rows 0 and 1, columns 0 to 2: -3, -2, -1, 3, 4, 5.
    let coarse = ask("row_from=0&row_to=4&col_from=0&col_to=6&width=2&height=2");
    assert_eq!(floats(&coarse["mean"])[0], 1.0);
    assert_eq!(floats(&coarse["peak"]), [5.0, 8.0, 17.0, 20.0]);
    assert_eq!(coarse["sampled"], false);
}

#[test]
fn tokens_are_found_as_they_are_typed() {
    let tokens = vec!["<s>", "\u{120}the", "\u{120}them", "ä½łå¥½", "then"];
    let file = Builder::new()
        .kv("tokenizer.ggml.model", "gpt2")
        .kv("tokenizer.ggml.tokens", tokens)
        .kv("tokenizer.ggml.token_type", vec![3_i32, 1, 1, 1, 4])
        .kv("tokenizer.ggml.bos_token_id", 0_u32)
        .bytes();
    let session = session(&[("a.gguf", file)]);
    let ids = |rest: &str| {
        let answer = ask(&session, &question(&format!("tokens?model=0&from=0&count=10&{rest}"))).unwrap();
        let ids = answer["tokens"].as_array().unwrap().iter().map(|token| token["id"].as_u64().unwrap());
        (answer["matched"].as_u64().unwrap(), ids.collect::<Vec<_>>())
    };
    assert_eq!(ids("find=the"), (3, vec![1, 2, 4]));
    assert_eq!(ids("find= the"), (2, vec![1, 2]));
    assert_eq!(ids("find=你好"), (1, vec![3]));
    assert_eq!(ids("find=4"), (1, vec![4]));
    assert_eq!(ids("type=control"), (1, vec![0]));
    assert_eq!(ids("find=the&type=user-defined"), (1, vec![4]));
    assert_eq!(ids("type=none"), (0, vec![]));
    let first = ask(&session, &question("tokens?model=0&from=0&count=2")).unwrap();
    assert_eq!(first["tokens"][0]["roles"], serde_json::json!(["bos"]));
    assert_eq!(first["tokens"][1]["decoded"], " the");
}

/// Where numbers of a file are beyond what a page can hold exactly, they come as text.
#[test]
fn numbers_that_a_page_would_round_come_as_text() {
    let file = Builder::new().tensor(Tensor::new("t", 0, &[1 << 60]).offset(0)).bytes();
    let session = session(&[("a.gguf", file)]);
    let answer = ask(&session, &question("tensors?model=0")).unwrap();
    let row = &answer["tensors"][0];
    assert_eq!((&row["shape"][0], &row["data"]), (&Value::from((1_u64 << 60).to_string()), &Value::Null));
    assert_eq!(row["readable"], false);
}

/// The files of a split model are one model; places name the file of the session.
#[test]
fn the_files_of_a_set_are_one_model() {
    use std::sync::Arc;

    use ggufkit_viewer::answer::{FileInput, ModelInput};

    let file = |name: &str, file: Builder| {
        FileInput::read(name.as_bytes(), Arc::new(common::Held(file.bytes())), Options::new()).unwrap()
    };
    let first = Builder::new().kv("general.architecture", "llama").tensor(Tensor::f32("a", &[4]));
    let second = Builder::new().kv("split.no", 1_u16).tensor(Tensor::f32("b", &[8]));
    let files = vec![file("x/m-00001-of-00002.gguf", first), file("x/m-00002-of-00002.gguf", second)];
    let alone = file("alone.gguf", Builder::new());
    let session = Session::new(vec![
        ModelInput { files: vec![alone], ..ModelInput::default() },
        ModelInput { files, ..ModelInput::default() },
    ]);
    let told = ask(&session, &question("session")).unwrap();
    assert_eq!(told["models"][1]["files"], serde_json::json!([1, 2]));
    assert_eq!(told["files"][2]["model"], 1);
    assert_eq!(told["files"][1]["name"], "m-00001-of-00002.gguf");
    let tensors = ask(&session, &question("tensors?model=1")).unwrap();
    let places: Vec<_> = tensors["tensors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (&row["file"], &row["data"]["file"]))
        .collect();
    assert_eq!(places, [(&1.into(), &1.into()), (&2.into(), &2.into())]);
    let map = ask(&session, &question("map?model=1")).unwrap();
    assert_eq!((map["files"].as_array().unwrap().len(), &map["files"][1]["file"]), (2, &2.into()));
    let entries = ask(&session, &question("metadata?model=1&lang=en")).unwrap();
    assert_eq!((&entries["total"], &entries["entries"][1]["file"]), (&2.into(), &2.into()));
}

#[test]
fn of_a_file_that_was_written_to_no_bytes_are_told() {
    let bytes = Builder::new().kv("a.b", 1_u8).tensor(Tensor::f32("a", &[4])).bytes();
    for (changed, kind) in [(false, None), (true, Some("io"))] {
        let source = std::sync::Arc::new(Held(bytes.clone()));
        let mut file = FileInput::read(b"m.gguf", source, Options::new()).unwrap();
        file.watch = Some(std::sync::Arc::new(move || Ok(changed)));
        let session = Session::new(vec![ModelInput { files: vec![file], ..ModelInput::default() }]);
        for asked in ["bytes?file=0&start=0&length=16&lang=en", "block?file=0&tensor=0&block=0&lang=en"] {
            let refused = ask(&session, &question(asked)).err();
            let refused =
                refused.map(|refusal| serde_json::to_value(&refusal).unwrap()["error"]["kind"].clone());
            assert_eq!(refused, kind.map(Value::from), "{asked} {changed}");
        }
    }
}

/// The room up to the next tensor is told as such, where a type gives no size.
#[test]
fn a_size_that_is_not_known_is_told_as_none() {
    let file =
        Builder::new().tensor(Tensor::new("t", 200, &[64]).data(vec![0; 96])).tensor(Tensor::f32("u", &[8]));
    let session = session(&[("a.gguf", file.bytes())]);
    let rows = ask(&session, &question("tensors?model=0")).unwrap();
    let rows: Vec<_> = (0..2)
        .map(|at| &rows["tensors"][at])
        .map(|row| (&row["sizing"], row["bits_per_weight"].is_null()))
        .collect();
    assert_eq!(rows, [(&"inferred".into(), true), (&"exact".into(), false)]);
    let weights = &ask(&session, &question("memory?model=0&lang=en")).unwrap()["weights"];
    assert_eq!(weights["sizing"], "inferred");
    for ty in weights["by_type"].as_array().unwrap() {
        assert_eq!(ty["sizing"], if ty["type"] == "F32" { "exact" } else { "inferred" }, "{ty}");
    }
}

/// A zero, what is smaller than any normal number, and what is not finite come about as all others do.
#[test]
fn how_a_zero_comes_about_is_known() {
    let values = [0.0_f32, -0.0, f32::from_bits(1), f32::INFINITY, f32::from_bits(0x7fc0_0000)];
    let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let file = Builder::new().tensor(Tensor::f32("t", &[5]).data(data)).bytes();
    let session = session(&[("a.gguf", file)]);
    let formula = |block: usize| {
        ask(&session, &question(&format!("worked?file=0&tensor=0&block={block}&element=0&lang=en")))
            .map(|answer| answer["formula"].as_str().unwrap().to_owned())
    };
    assert_eq!(formula(0).unwrap(), "(-1)^0 * 2^(1 - 127) * (0 / 2^23) = 0");
    assert_eq!(formula(1).unwrap(), "(-1)^1 * 2^(1 - 127) * (0 / 2^23) = -0");
    assert!(formula(2).unwrap().starts_with("(-1)^0 * 2^(1 - 127) * (1 / 2^23) = 0.000"));
    assert_eq!(formula(3).unwrap(), "(-1)^0 * inf = inf");
    assert_eq!(formula(4).unwrap(), "NaN(4194304) = NaN");
}
