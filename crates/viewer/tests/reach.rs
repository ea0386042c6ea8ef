//! Of what was not read no answer says that it is absent.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::path::Path;
use std::sync::Arc;

use common::{Held, ask, question, sample, session};
use ggufkit_format::{Options, parse};
use ggufkit_io::ShardSet;
use ggufkit_testkit::{Builder, Tensor};
use ggufkit_viewer::answer::{FileInput, ModelInput, Session};
use serde_json::{Value, json};

fn read(session: &Session) -> Value {
    ask(session, &question("session")).unwrap()["models"][0]["read"].clone()
}

/// What the answers list, and what of it they say is given by rules or missing.
fn listed(session: &Session) -> [usize; 6] {
    let ask = |text: &str| ask(session, &question(text)).unwrap();
    let count = |answer: &Value, of: &str| answer[of].as_array().unwrap().len();
    let config = ask("config?model=0&lang=en");
    let settings = config["settings"].as_array().unwrap();
    let ruled = settings.iter().filter(|one| one["from"] == "default" || one["from"] == "missing").count();
    [
        count(&ask("metadata?model=0&lang=en"), "entries"),
        count(&ask("tensors?model=0"), "tensors"),
        count(&ask("templates?model=0"), "templates"),
        usize::try_from(ask("tokens?model=0&from=0&count=1")["total"].as_u64().unwrap()).unwrap(),
        ruled,
        count(&config, "missing") + count(&config, "notes"),
    ]
}

/// The sample has 39 keys and 20 tensors; its array of tokens is the first that is long.
#[test]
fn a_head_that_breaks_off_tells_how_far_it_was_read() {
    let sample = sample();
    let index = parse(&sample, Options::new()).index.unwrap();
    let (kvs, tensors) = (index.kvs(), index.tensors());
    let tokens =
        kvs.iter().find(|kv| kv.key.span.slice(&sample, 0).unwrap().ends_with(b"ggml.tokens")).unwrap();
    let key = kvs[10].key.span.start + 3;
    let array = tokens.value_span.start + 100;
    let table = tensors[4].span.start + 9;
    let up_to = |offset: u64| json!({ "state": "up-to", "file": 0, "offset": offset });
    let is = |told: &Value, state: &Value, counts: [u64; 2]| {
        for (name, value) in state.as_object().unwrap() {
            assert_eq!(told[name], *value, "{told}");
        }
        assert_eq!([&told["read"], &told["declared"]], counts.map(Value::from).each_ref(), "{told}");
    };
    for (cut, keys, rows) in
        [(key, 10, 0), (array, kvs.iter().position(|kv| kv.span == tokens.span).unwrap(), 0)]
    {
        let session = session(&[("m.gguf", sample[..usize::try_from(cut).unwrap()].to_vec())]);
        let read = read(&session);
        is(&read["keys"], &up_to(kvs[keys - 1].span.end()), [keys as u64, 39]);
        is(&read["tensors"], &up_to(kvs[keys - 1].span.end()), [rows, 20]);
        let [entries, tensors, templates, tokens, ruled, missing] = listed(&session);
        assert_eq!([entries, tensors, templates, tokens, ruled, missing], [keys, 0, 0, 0, 0, 0]);
        let config = ask(&session, &question("config?model=0&lang=zh")).unwrap();
        let bos =
            config["settings"].as_array().unwrap().iter().find(|one| one["name"] == "add beginning").unwrap();
        assert_eq!([&bos["from"], &bos["value"], &bos["rule"]], [&json!("unread"), &json!(""), &Value::Null]);
        let memory = ask(&session, &question("memory?model=0&lang=en")).unwrap();
        assert_eq!([&memory["cache"], &memory["reason"]], [&Value::Null, &Value::Null]);
    }
    // In the tensor table: the keys are whole, and what is not among them is absent.
    let session_of = |cut: u64| session(&[("m.gguf", sample[..usize::try_from(cut).unwrap()].to_vec())]);
    let session = session_of(table);
    is(&read(&session)["keys"], &json!({ "state": "whole" }), [39, 39]);
    is(&read(&session)["tensors"], &up_to(tensors[3].span.end()), [4, 20]);
    assert_eq!(listed(&session)[..4], [39, 4, 1, 384]);
    assert!(listed(&session)[4] > 0);
    // In the data: both are whole.
    let session = session_of(20_000);
    assert_eq!([&read(&session)["keys"]["state"], &read(&session)["tensors"]["state"]], ["whole", "whole"]);
    // In the header, and before it: nothing was read, and nothing is refused.
    for cut in [0, 4, 20] {
        let session = session_of(cut);
        for of in ["keys", "tensors"] {
            is(&read(&session)[of], &json!({ "state": "not-read", "file": 0 }), [0, 0]);
        }
        assert_eq!(listed(&session), [0; 6], "{cut}");
    }
}

fn shard(no: u16, count: u16) -> Builder {
    let split = |file: Builder| {
        file.kv("split.no", no).kv("split.count", count).kv("split.tensors.count", i32::from(count))
    };
    let file = match no {
        0 => split(Builder::new().kv("general.architecture", "llama").kv("llama.block_count", 1_u32)),
        _ => split(Builder::new()),
    };
    file.tensor(Tensor::f32(format!("blk.{no}.attn_q.weight"), &[8]))
}

/// Shards of a set of three, as they lie in a folder.
fn set(here: &[u16], named: &str) -> Session {
    let folder = tempfile::tempdir().unwrap();
    let path = |no: u16| folder.path().join(format!("m-{:05}-of-00003.gguf", no + 1));
    let files = here.iter().map(|no| {
        let bytes = shard(*no, 3).bytes();
        std::fs::write(path(*no), &bytes).unwrap();
        FileInput::read(path(*no).to_str().unwrap().as_bytes(), Arc::new(Held(bytes)), Options::new())
            .unwrap()
    });
    let files = files.collect();
    let set = ShardSet::discover(&folder.path().join(Path::new(named)));
    Session::new(vec![ModelInput { files, set, ..ModelInput::default() }])
}

#[test]
fn what_stands_in_other_shards_is_not_absent() {
    let elsewhere = |missing: u64| json!({ "state": "elsewhere", "missing": missing });
    let states = |session: &Session| {
        let read = read(session);
        ["keys", "tensors"].map(|of| {
            let mut told = read[of].clone();
            let told = told.as_object_mut().unwrap();
            told.remove("read");
            told.remove("declared");
            Value::Object(told.clone())
        })
    };
    // A later one alone, with its own name and with another.
    for session in [set(&[1], "m-00002-of-00003.gguf"), session(&[("b.gguf", shard(1, 3).bytes())])] {
        assert_eq!(states(&session), [elsewhere(2), elsewhere(2)]);
        let config = ask(&session, &question("config?model=0&lang=en")).unwrap();
        assert_eq!([&config["missing"], &config["notes"]], [&json!([]), &json!([])]);
        let told = ask(&session, &question("session")).unwrap()["models"][0].clone();
        let own = told["files_declared"].as_u64().unwrap();
        assert_eq!(own, 3, "{told}");
        let problem = &told["problems"][0]["message"];
        assert_eq!(problem["en"], "2 of the 3 shards of this model are not here");
        assert_eq!(problem["zh"], "此模型的 3 个分片中有 2 个不在这里");
    }
    // One is missing: the keys are those of the first, which is there.
    let session = set(&[0, 2], "m-00001-of-00003.gguf");
    assert_eq!(states(&session), [json!({ "state": "whole" }), elsewhere(1)]);
    assert_eq!(session.gaps(0)[0].said.en, "1 of the 3 shards of this model is not here");
    // All are there.
    let session = set(&[0, 1, 2], "m-00001-of-00003.gguf");
    assert_eq!(states(&session), [json!({ "state": "whole" }), json!({ "state": "whole" })]);
    assert_eq!(
        (session.gaps(0), ask(&session, &question("session")).unwrap()["models"][0]["problems"].clone()),
        (vec![], json!([]))
    );
}

/// A picture of what is not whole says so, in its title, in what is read out, and for everybody to see.
#[test]
fn a_picture_says_what_is_missing() {
    use ggufkit_format::spec::Lang;
    use ggufkit_viewer::svg::svg;

    let sample = sample();
    let cases = [
        (session(&[("b.gguf", shard(1, 3).bytes())]), "2 of the 3 shards of this model are not here"),
        (set(&[0, 2], "m-00001-of-00003.gguf"), "1 of the 3 shards of this model is not here"),
        (session(&[("m.gguf", sample[..300_000].to_vec())]), "the file ends before its tensors do"),
        (session(&[("m.gguf", sample[..5_000].to_vec())]), "unexpected end of file"),
    ];
    for (session, said) in cases {
        let picture = svg(&session, Lang::En).unwrap();
        let between = |from: &str, to: &str| {
            let rest = &picture[picture.find(from).unwrap() + from.len()..];
            rest[..rest.find(to).unwrap()].to_owned()
        };
        assert!(between("<title", "</title>").contains("not whole"), "{picture}");
        assert!(between("<desc", "</desc>").contains(said), "{picture}");
        assert!(picture[picture.find("</desc>").unwrap()..].contains(said), "{picture}");
        assert!(svg(&session, Lang::Zh).unwrap().contains("不完整"));
    }
    let whole = svg(&session(&[("m.gguf", sample)]), Lang::En).unwrap();
    assert!(
        !whole.contains("not whole") && whole.contains("what takes how much of 396,864 bytes"),
        "{whole}"
    );
}

/// A key that lies behind the end of what was read of a side is not removed from it.
#[test]
fn a_broken_side_is_compared_as_far_as_it_was_read() {
    let sample = sample();
    let session = session(&[("a.gguf", sample.clone()), ("b.gguf", sample[..5_000].to_vec())]);
    for (a, b) in [(0, 1), (1, 0)] {
        let diff = ask(&session, &question(&format!("diff?a={a}&b={b}"))).unwrap();
        assert_eq!(
            (&diff["same"], diff["unread"].as_u64()),
            (&Value::Null, diff["changes"].as_array().map(|all| all.len() as u64))
        );
        let changes = diff["changes"].as_array().unwrap();
        let kinds: Vec<_> = changes.iter().map(|change| change["kind"].as_str().unwrap()).collect();
        assert!(kinds.iter().all(|kind| *kind == "unread") && kinds.len() > 20, "{kinds:?}");
    }
}
