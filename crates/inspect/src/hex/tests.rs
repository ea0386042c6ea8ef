use ggufkit_format::spec::Lang;
use ggufkit_format::{Detail, Element, Endian, KvPart, Options, Path, Span, View, parse};
use ggufkit_testkit::{Builder, Tensor, Value};

use super::*;

const SAMPLE: &[u8] = include_bytes!("../../../../samples/Tiny-Llama-591K-v1.0-Q4_K_M.gguf");

/// Files with the reading that suits them; the bytes begin at the magic.
fn readings() -> Vec<(Vec<u8>, Options)> {
    let mut all: Vec<_> = files().into_iter().map(|bytes| (bytes, Options::new())).collect();
    all.extend(ggufkit_testkit::controls::all().iter().map(|(_, builder)| {
        let built = builder.build();
        let options = Options::new().with_dialect(builder.layout()).with_base(built.base());
        (built.gguf().to_vec(), options)
    }));
    all
}

fn files() -> Vec<Vec<u8>> {
    let rich = || {
        Builder::new()
            .kv("general.architecture", "llama")
            .kv("llama.context_length", 512_u32)
            .kv("llama.rope.freq_base", 10000.0_f32)
            .kv("general.file_type", 15_u32)
            .kv("tokenizer.ggml.add_bos_token", true)
            .kv("tokens", vec!["a", "", "ccc", "dd", "e", "f"])
            .kv("numbers", vec![1_i32, 2, 3, 4, 5, 6, 7])
            .kv("nested", Value::nested([Value::from(vec![1_u8, 2]), Value::from(vec!["x", "y"])]))
            .kv("none", Value::empty(ggufkit_testkit::Kind::String))
            .tensor(Tensor::new("blk.0.attn_q.weight", 12, &[256, 3]))
            .tensor(Tensor::f32("output_norm.weight", &[7]))
            .tensor(Tensor::new("odd", 156, &[3]))
    };
    let mut files = vec![
        SAMPLE.to_vec(),
        Builder::new().bytes(),
        rich().bytes(),
        rich().big_endian().bytes(),
        rich().version(1).bytes(),
        rich().version(2).bytes(),
        rich().alignment(256).bytes(),
    ];
    // Cut anywhere, too: what is left must be tiled by what was read and by what was not.
    let whole = rich().bytes();
    files.extend((24..whole.len().min(900)).step_by(7).map(|n| whole[..n].to_vec()));
    files
}

#[test]
fn steps_are_the_fields_and_tile_the_head() {
    for (bytes, options) in readings() {
        let outcome = parse(&bytes, options);
        let index = outcome.index.unwrap();
        let view = View::new(&index, &bytes);
        for detail in [Detail::All, Detail::First(0), Detail::First(2)] {
            let mut next = index.header().base;
            let mut fields = view.fields(detail);
            for (i, step) in steps(view, detail, Lang::En).enumerate() {
                let field = fields.next().unwrap();
                assert_eq!(step.number, i as u64 + 1);
                assert_eq!((step.field.span, &step.field.path), (field.span, &field.path));
                assert_eq!(step.field.span.start, next, "{}", field.path);
                next = step.field.span.end();
            }
            assert!(fields.next().is_none());
            let there = index.header().base + bytes.len() as u64;
            let end = index.data_start().map_or(there, |start| start.min(there));
            assert_eq!(next, end);
        }
    }
}

#[test]
fn every_step_but_the_last_says_what_comes_next_in_both_languages() {
    for (bytes, options) in readings() {
        let outcome = parse(&bytes, options);
        let index = outcome.index.unwrap();
        let view = View::new(&index, &bytes);
        for lang in [Lang::En, Lang::Zh] {
            let all: Vec<_> = steps(view, Detail::First(3), lang).collect();
            let (last, rest) = all.split_last().unwrap();
            for step in rest {
                assert!(
                    step.next.len() > 12 && !step.next.ends_with(": "),
                    "{}: {}",
                    step.field.path,
                    step.next
                );
                assert_eq!(step.next.is_ascii(), lang == Lang::En, "{}", step.next);
            }
            assert_eq!(last.next.is_empty(), outcome.error.is_some(), "{}", last.next);
        }
    }
}

#[test]
fn notes_read_as_sentences() {
    let bytes = files().swap_remove(2);
    let index = parse(&bytes, Options::new()).into_result().unwrap();
    let view = View::new(&index, &bytes);
    let said = |path: &str, lang| {
        let field = view.fields(Detail::All).find(|f| f.path.to_string() == path).unwrap();
        let note = note(&view, &field, lang);
        format!("{} = {}{}", note.ty, note.value, note.tail(lang))
    };
    for (path, text) in [
        ("header.kv_count", "u64 = 9 key-values"),
        ("kv[0].key.length", "u64 = 20 bytes follow"),
        ("kv[0].type", "u32 = 8, string"),
        ("kv[1].value", "u32 = 512 tokens"),
        ("kv[2].value", "f32 = 10000.0"),
        ("kv[3].value", "u32 = 15, Q4_K_M"),
        ("kv[4].value", "bool = true"),
        ("kv[5].value.count", "u64 = 6 elements follow"),
        ("kv[6].value.count", "u64 = 7 elements of 4 bytes: 28 bytes"),
        ("tensors[0].n_dims", "u32 = 2 dimensions follow"),
        ("tensors[0].dims[1]", "u64 = 3 rows"),
        ("tensors[0].type", "u32 = 12, Q4_K: 256 elements in 144 bytes"),
        ("tensors[1].type", "u32 = 0, F32"),
        ("tensors[2].type", "u32 = 156, unknown type"),
    ] {
        assert_eq!(said(path, Lang::En), text, "{path}");
    }
    assert_eq!(said("kv[0].key.length", Lang::Zh), "u64 = 20 字节在后");
    assert_eq!(said("tensors[0].dims[1]", Lang::Zh), "u64 = 3 行");
}

#[test]
fn fields_are_found_by_path_and_by_position() {
    let built = Builder::new().kv("a", vec!["x", "yy", "z"]).kv("ab", 7_u8).kv("a", 1_u8).build();
    let index = parse(built.bytes(), Options::new()).into_result().unwrap();
    let view = View::new(&index, built.bytes());
    let picked = |select: Select| -> Vec<String> {
        let mut scratch = String::new();
        let fields = view.fields(select.detail(Detail::First(0)));
        fields.filter(|f| select.picks(f, &mut scratch)).map(|f| f.path.to_string()).collect()
    };
    assert_eq!(picked(Select::Path("kv[0].value[1]".into())), ["kv[0].value[1].length", "kv[0].value[1]"]);
    assert_eq!(picked(Select::Path("kv[1]".into())).len(), 4);
    assert_eq!(picked(Select::Path("header".into())).len(), 4);
    assert!(picked(Select::Path("kv[1".into())).is_empty());
    assert_eq!(picked(Select::key(&view, b"a").unwrap()).len(), 6 + 4);
    assert_eq!(Select::key(&view, b"b"), None);
    let at = built.span("kv[0].value[2]");
    assert_eq!(picked(Select::Bytes(at)), ["kv[0].value[2]"]);
    assert_eq!(picked(Select::Bytes(Span::new(at.start - 1, 2))).len(), 2);
    let _ = (Path::kv(0, KvPart::Value(Element::Whole)), Endian::Big);
}

#[test]
fn the_document_is_json_that_names_every_field() {
    let built = Builder::new().kv("k", vec![1_u32, 2, 3]).tensor(Tensor::f32("t", &[2])).build();
    let index = parse(built.bytes(), Options::new()).into_result().unwrap();
    let view = View::new(&index, built.bytes());
    let mut file =
        HexFile::new(ggufkit_format::ByteStr(b"x.gguf"), Some(built.size()), Some(view), Detail::First(1));
    let json = serde_json::to_value(&file).unwrap();
    let fields = json["fields"].as_array().unwrap();
    assert_eq!(fields.len(), view.fields(Detail::First(1)).count());
    assert_eq!(fields[0]["kind"], "magic");
    let folded = fields.iter().find(|f| f["kind"] == "elements").unwrap();
    assert_eq!((&folded["from"], &folded["to"], &folded["type"]), (&1.into(), &3.into(), &"[u32; 3]".into()));
    file.steps = true;
    let json = serde_json::to_value(&file).unwrap();
    assert_eq!(json["steps"][1]["step"], 2);
    assert!(json["steps"][1]["next"].as_str().unwrap().contains("u64"));
}
