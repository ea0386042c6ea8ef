//! Reports: one file that needs nothing else, whatever the model says.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use common::{sample, session};
use ggufkit_format::spec::Lang;
use ggufkit_testkit::{Builder, Tensor};
use ggufkit_viewer::{report, svg};
use serde_json::Value;

fn answers(html: &str) -> Value {
    let from = html.find("id=\"ggufkit-answers\">").unwrap() + "id=\"ggufkit-answers\">".len();
    let rest = &html[from..];
    serde_json::from_str(&rest[..rest.find("</script>").unwrap()]).unwrap()
}

#[test]
fn a_report_holds_the_answers_and_loads_nothing() {
    let session = session(&[("/home/somebody/secret/a.gguf", sample())]);
    let html =
        String::from_utf8(report::html(&session, &report::Options { stats: true, measured: None }).unwrap())
            .unwrap();
    let answers = &answers(&html)["answers"];
    for key in [
        "session",
        "map?model=0",
        "metadata?from=0&lang=zh&model=0",
        "tensors?from=0&model=0",
        "tokens?count=256&from=256&model=0",
        "bytes?file=0&lang=en&length=4096&start=4096",
        "steps?count=256&file=0&from=257&lang=zh",
        "config?lang=en&model=0",
        "memory?lang=en&model=0",
        "check?model=0",
        "templates?model=0",
        "explain?lang=zh&what=Q4_K",
        "stats?file=0&tensor=19",
    ] {
        assert!(answers[key].is_object(), "{key}");
    }
    assert_eq!(answers["session"]["can"]["bytes"], false);
    let capped = answers["session"]["capped"].as_array().unwrap();
    assert!(capped.iter().any(|one| one["en"].as_str().unwrap().contains("of 396864 bytes")));
    // Where the file lies is nobody's business.
    assert!(!html.contains("somebody"));
    for word in ["src=\"assets", "href=\"assets", "<iframe", "javascript:"] {
        assert!(!html.contains(word), "{word}");
    }
    assert!(html.contains(
        "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'sha256-"
    ));
}

/// A report has what the page asks for piece by piece, under the same questions: both cut at the same places.
#[test]
fn the_page_asks_for_pieces_of_the_size_that_a_report_has() {
    for (file, said) in [
        ("pages.ts", format!("export const pageSize = {};", report::PAGE)),
        ("bytes.ts", format!("export const piece = {};", report::PIECE)),
    ] {
        let source = std::fs::read_to_string(common::root().join("web/src/backend").join(file)).unwrap();
        assert!(source.contains(&said), "{file}: {said}");
    }
}

#[test]
fn no_text_of_a_model_is_markup() {
    let evil = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\"'&\u{202e}";
    let file = Builder::new()
        .kv("general.name", evil)
        .kv(evil, 1_u8)
        .kv("tokenizer.chat_template", evil)
        .kv("tokenizer.ggml.tokens", vec![evil, "b"])
        .tensor(Tensor::f32(evil, &[4]))
        .bytes();
    let session = session(&[(evil, file)]);
    let html = String::from_utf8(report::html(&session, &report::Options::default()).unwrap()).unwrap();
    // The page's own script, and the answers.
    assert_eq!(html.matches("</script>").count(), 2);
    assert!(!html.contains("<img") && !html.contains("<!--<"));
    assert!(!html.contains('\u{202e}'));
    let name = &answers(&html)["answers"]["show?lang=en&model=0"]["name"];
    assert_eq!(name, evil);
    let picture = svg::svg(&session, Lang::Zh).unwrap();
    assert!(!picture.contains("<script") && !picture.contains("<img"), "{picture}");
    assert!(
        picture.starts_with("<svg ") && picture.contains("role=\"img\"") && picture.ends_with("</svg>\n")
    );
}
