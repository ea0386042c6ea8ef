//! The collected case files, where they lie beside the working copy: what must be readable is read, what must be
//! refused is refused with a word of what is wrong, and everything obeys.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use ggufkit_format::{Options, parse};
use ggufkit_testkit::{corpus, fuzzing};
use serde_json::Value as Json;

#[test]
fn the_case_files() {
    let Some(folder) = corpus::shared().map(|shared| shared.join("cases")).filter(|f| f.is_dir()) else {
        return corpus::skip("the_case_files", "no ../shared/cases");
    };
    let cases: Json = serde_json::from_slice(&corpus::read(&folder.join("cases.json")).bytes).unwrap();
    let mut wrong = Vec::new();
    for case in cases["cases"].as_array().unwrap() {
        let (id, expected) = (case["id"].as_str().unwrap(), &case["expected"]);
        let file = corpus::read(&folder.join(case["main"].as_str().unwrap()));
        if !file.name.ends_with(".gguf") {
            continue;
        }
        fuzzing::parse(&file.bytes);
        fuzzing::fields(&file.bytes);
        let size = Some(file.bytes.len() as u64);
        let outcome = parse(&file.bytes, Options::new().with_size(size));
        // What a file is that does not begin as a GGUF is said elsewhere (`identify`).
        let is_gguf = file.bytes.starts_with(b"GGUF");
        let error = outcome.error.map(|e| e.to_string());
        let ok = expected["ok"].as_bool().unwrap();
        if error.is_none() != ok && expected["accept"].is_null() {
            wrong.push(format!("{id}: {error:?}, {}", case["right"]));
        }
        let words = expected["mentions"].as_array().unwrap();
        if let Some(error) = error.map(|e| e.to_lowercase()).filter(|_| !ok && is_gguf && !words.is_empty())
            && !words.iter().filter_map(Json::as_str).any(|word| error.contains(&word.to_lowercase()))
        {
            wrong.push(format!("{id}: {error}, none of {words:?}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
