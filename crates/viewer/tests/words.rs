//! Words that answers have and the page says in its own language: both sides are held against one list.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeMap;

use common::{question, root, sample, session};
use ggufkit_format::spec::{Lang, arch::ARCHITECTURES, keys::KEYS};
use ggufkit_inspect::regions::RegionKind;
use ggufkit_testkit::{Builder, Tensor};
use ggufkit_viewer::answer::{Session, words};

fn asked(session: &Session, text: &str) -> serde_json::Value {
    common::ask(session, &question(text)).unwrap()
}

/// What the page calls settings: those of all architectures, with every key that may be there and with none.
fn settings(words: &mut BTreeMap<&'static str, Vec<String>>) {
    let (mut groups, mut names) = (Vec::new(), Vec::new());
    for name in ARCHITECTURES {
        for whole in [false, true] {
            let mut file = Builder::new().kv("general.architecture", *name);
            for suffix in KEYS.iter().filter_map(|key| key.pattern.strip_prefix("{arch}.")).filter(|_| whole)
            {
                file = file.kv(format!("{name}.{suffix}").as_str(), 4_u32);
            }
            for key in
                KEYS.iter().map(|key| key.pattern).filter(|key| whole && key.starts_with("tokenizer.ggml."))
            {
                file = file.kv(key, 4_u32);
            }
            let session =
                session(&[("a.gguf", file.tensor(Tensor::f32("blk.3.attn_q.weight", &[4])).bytes())]);
            let answer = asked(&session, "config?model=0&lang=en");
            for setting in answer["settings"].as_array().unwrap() {
                groups.push(setting["group"].as_str().unwrap().to_owned());
                names.push(setting["name"].as_str().unwrap().to_owned());
            }
        }
    }
    for (section, mut found) in [("group.", groups), ("setting.", names)] {
        found.sort_unstable();
        found.dedup();
        words.insert(section, found);
    }
}

/// The list stands beside the page's tests, which hold its catalogues against it. `SNAPSHOTS=overwrite` writes it anew.
#[test]
fn the_page_knows_every_word_that_answers_have() {
    let mut words = words();
    settings(&mut words);
    let said = serde_json::to_string_pretty(&words).unwrap() + "\n";
    let path = root().join("web/test/words.json");
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, &said).unwrap();
    }
    let held = std::fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    assert_eq!(held, said, "run this test with SNAPSHOTS=overwrite, and say the new words in web/src/i18n");
}

/// What stretches of a file are called is said by one list, for the page, the picture and the terminal.
#[test]
fn the_page_calls_parts_of_a_file_what_all_others_call_them() {
    for (file, lang) in [("en.ts", Lang::En), ("zh.ts", Lang::Zh)] {
        let text = std::fs::read_to_string(root().join("web/src/i18n").join(file)).unwrap();
        let section = text.split_once("\n  kind: {\n").unwrap().1.split_once("\n  },").unwrap().0;
        for kind in RegionKind::ALL {
            let name = serde_json::to_value(kind).unwrap();
            let name = name.as_str().unwrap();
            let line = section.lines().find(|line| {
                let own = line.trim().split_once(':').unwrap().0;
                own.trim_matches('\'') == name
            });
            let said = line.unwrap().split_once(": ").unwrap().1;
            assert_eq!(said, format!("'{}',", kind.words().get(lang)), "{file}: {name}");
        }
    }
}

/// Answers have no other words than those.
#[test]
fn answers_have_the_words_of_the_list() {
    let words = words();
    let holds = |section: &str, word: &serde_json::Value| {
        let word = word.as_str().unwrap();
        assert!(words[section].iter().any(|own| own == word), "{section}{word}");
    };
    let other = Builder::new().kv("general.architecture", "llama").kv("b", 1_u32).kv("a", "x").bytes();
    let session = session(&[("a.gguf", sample()), ("b.gguf", other)]);
    let map = asked(&session, "map?model=0");
    for region in map["files"][0]["regions"].as_array().unwrap() {
        holds("kind.", &region["kind"]);
    }
    for start in ["0", "8192", "393216"] {
        let bytes = asked(&session, &format!("bytes?file=0&start={start}&length=3000&lang=zh"));
        for field in bytes["fields"].as_array().unwrap() {
            holds("field.", &field["kind"]);
        }
    }
    let diff = asked(&session, "diff?a=0&b=1");
    for change in diff["changes"].as_array().unwrap() {
        holds("compare.", &change["kind"]);
        holds("compare.", &change["what"]);
        if matches!(change["what"].as_str(), Some("header")) {
            holds("differs.", &change["name"]);
        }
    }
    let tokens = asked(&session, "tokens?model=0&from=0&count=300");
    for ty in tokens["types"].as_array().unwrap() {
        holds("token.", &ty["type"]);
    }
}
