use ggufkit_format::{Endian, Options, parse};
use ggufkit_testkit::{Builder, Kind, Tensor, Value as Wanted, controls};
use serde_json::{Value as Json, json};

use super::*;
use crate::json::write;

fn dump(bytes: &[u8], select: Select<'_>) -> Json {
    let outcome = parse(bytes, Options::new());
    let view = outcome.index.as_ref().map(|index| View::new(index, bytes));
    let error = outcome.error.as_ref().map(|error| json!(error.to_string()));
    let size = Some(bytes.len() as u64);
    let mut out = Vec::new();
    write(&mut out, &FileDump::new(ByteStr(b"f.gguf"), size, view, error, select), true).unwrap();
    serde_json::from_slice(&out).unwrap()
}

#[test]
fn every_place_is_the_one_that_was_written() {
    for (version, endian) in [(1, Endian::Little), (2, Endian::Little), (3, Endian::Little), (3, Endian::Big)]
    {
        let built = controls::everything(version, endian).build();
        let dump = dump(built.bytes(), Select::ALL);
        let number = |json: &Json| json.as_u64().unwrap();
        let metadata = dump["metadata"].as_array().unwrap();
        assert_eq!(metadata.len() as u64, number(&dump["header"]["kv_count"]));
        for (i, kv) in metadata.iter().enumerate() {
            assert_eq!(number(&kv["index"]), i as u64);
            let record = built.find(&format!("kv[{i}]")).unwrap();
            assert_eq!((number(&kv["offset"]), number(&kv["size"])), (record.start, record.len), "{kv}");
            let end = number(&kv["value_offset"]) + number(&kv["value_size"]);
            assert_eq!(end, record.end(), "{kv}");
        }
        for (i, tensor) in dump["tensors"].as_array().unwrap().iter().enumerate() {
            let record = built.find(&format!("tensors[{i}]")).unwrap();
            let data = built.find(&format!("tensors[{i}].data")).unwrap();
            assert_eq!(
                (number(&tensor["info_offset"]), number(&tensor["info_size"])),
                (record.start, record.len)
            );
            assert_eq!((number(&tensor["data_offset"]), number(&tensor["size"])), (data.start, data.len));
            assert_eq!(tensor["size_known"], "exact");
        }
        assert_eq!(dump["errors"], Json::Array(Vec::new()));
        assert_eq!(dump["size"], json!(built.size()));
        assert_eq!(dump["header"]["version"], json!(version));
        assert_eq!(dump["header"]["endian"], json!(endian.name()));
        assert_eq!(dump["header"]["alignment_source"], "key");
    }
}

#[test]
fn arrays_say_how_many_elements_they_have_and_how_many_are_shown() {
    let built = Builder::new()
        .kv("long", (0..1000_u32).collect::<Vec<_>>())
        .kv("short", vec!["a", "b"])
        .kv("none", Wanted::empty(Kind::F32))
        .kv("nested", Wanted::nested([vec![1_u8, 2, 3, 4].into(), vec![5_u8].into()]))
        .build();
    let dump = dump(built.bytes(), Select { arrays: Some(3), ..Select::ALL });
    let pick = |i: usize| {
        let kv = &dump["metadata"][i];
        json!([kv["element_type"], kv["length"], kv["shown"], kv["shown_inside"], kv["value"]])
    };
    assert_eq!(pick(0), json!(["u32", 1000, 3, null, [0, 1, 2]]));
    assert_eq!(pick(1), json!(["string", 2, 2, null, ["a", "b"]]));
    assert_eq!(pick(2), json!(["f32", 0, 0, null, []]));
    assert_eq!(pick(3), json!(["array", 2, 2, 3, [[1, 2, 3], [5]]]));
}

#[test]
fn what_is_odd_is_shown_and_marked() {
    let built = Builder::new()
        .kv("twice", 1_u32)
        .kv("flag", Wanted::Bool(2))
        .kv("twice", "other")
        .kv("text\0", Wanted::String(b"\xff\xfeA".to_vec()))
        .kv("nan", f32::NAN)
        .tensor(Tensor::f32("x", &[4]))
        .build();
    let dump = dump(built.bytes(), Select::ALL);
    let metadata = &dump["metadata"];
    let twice: Vec<bool> =
        metadata.as_array().unwrap().iter().map(|kv| kv["duplicate"] == json!(true)).collect();
    assert_eq!(twice, [true, false, true, false, false]);
    assert_eq!((&metadata[1]["value"], &metadata[1]["byte"]), (&json!(true), &json!(2)));
    assert_eq!(metadata[3]["key"], "text\0");
    assert_eq!(metadata[3]["value"], json!({"bytes": "//5B"}));
    assert_eq!(metadata[4]["value"], "NaN");
    let codes: Vec<&Json> = dump["anomalies"].as_array().unwrap().iter().map(|a| &a["code"]).collect();
    assert_eq!(codes, ["odd-bool", "nul-in-name", "invalid-utf8"]);
    assert_eq!(dump["anomalies"][0]["path"], "kv[1].value");
}

#[test]
fn what_was_not_asked_for_is_left_out_not_empty() {
    let built = controls::everything(3, Endian::Little).build();
    let starts = |prefix: &'static str| move |name: &[u8]| name.starts_with(prefix.as_bytes());
    let (keys, names) = (starts("a."), starts("blk."));
    let some = Select { keys: Some(&keys), names: Some(&names), ..Select::ALL };
    let picked = dump(built.bytes(), some);
    assert!(
        picked["metadata"].as_array().unwrap().iter().all(|kv| kv["key"].as_str().unwrap().starts_with("a."))
    );
    assert_eq!(picked["tensors"].as_array().unwrap().len(), 1);
    assert_eq!(picked["tensors"][0]["index"], 1, "positions are those of the file");
    let none = dump(built.bytes(), Select { metadata: false, tensors: false, ..Select::ALL });
    assert!(none.get("metadata").is_none() && none.get("tensors").is_none());
    assert_eq!(none["anomalies"], picked["anomalies"]);
}

#[test]
fn a_file_that_breaks_off_gives_what_was_read() {
    let built = controls::everything(3, Endian::Little).build();
    let cut = built.find("kv[4].value").unwrap().start;
    let dump = dump(&built.bytes()[..cut as usize], Select::ALL);
    assert_eq!(dump["metadata"].as_array().unwrap().len(), 4);
    assert_eq!(dump["tensors"], json!([]));
    assert_eq!(dump["header"]["data_start"], Json::Null);
    assert!(dump["errors"][0]["error"].as_str().unwrap().contains("kv[4]"), "{dump}");
    let nothing = self::dump(b"GG", Select::ALL);
    assert_eq!((&nothing["header"], &nothing["metadata"]), (&Json::Null, &json!([])));
}

#[test]
fn sizes_that_cannot_be_told_are_null() {
    let built = Builder::new()
        .tensor(Tensor::new("a", 156, &[32]))
        .tensor(Tensor::new("b", 36, &[32]))
        .tensor(Tensor::f32("huge", &[u64::MAX, u64::MAX]).data([]))
        .build();
    let dump = dump(built.bytes(), Select::ALL);
    let tensors = &dump["tensors"];
    assert_eq!((&tensors[0]["type"], &tensors[0]["type_id"]), (&json!("unknown(156)"), &json!(156)));
    assert_eq!(tensors[1]["type"], "IQ4_NL_4_4");
    assert_eq!((&tensors[2]["elements"], &tensors[2]["size"]), (&Json::Null, &Json::Null));
    assert_eq!(tensors[2]["size_known"], "unknown");
}

#[test]
fn what_json_leaves_out_has_its_bytes_beside_it() {
    let built = Builder::new()
        .kv("usual", f32::NAN)
        .kv("nan", f32::from_bits(0x7f80_0001))
        .kv("nans", Wanted::Array(Kind::F64, vec![Wanted::F64(1.0), Wanted::F64(f64::from_bits(u64::MAX))]))
        .kv("flags", Wanted::Array(Kind::Bool, vec![Wanted::Bool(1), Wanted::Bool(2)]))
        .kv("nested", Wanted::nested([Wanted::empty(Kind::U8)]))
        .kv("plain", Wanted::Array(Kind::Bool, vec![Wanted::Bool(1)]))
        .big_endian()
        .build();
    let whole = dump(built.bytes(), Select::ALL);
    let exact: Vec<&Json> = whole["metadata"].as_array().unwrap().iter().map(|kv| &kv["exact"]).collect();
    // Base64 of the little-endian bytes: 01 00 80 7F; type 12, count 2, 1.0, all ones; type 7, count 2, 1, 2;
    // type 9, count 1, type 0, count 0.
    let wanted = [
        json!(null),
        json!("AQCAfw=="),
        json!("DAAAAAIAAAAAAAAAAAAAAAAA8D///////////w=="),
        json!("BwAAAAIAAAAAAAAAAQI="),
        json!("CQAAAAEAAAAAAAAAAAAAAAAAAAAAAAAA"),
        json!(null),
    ];
    assert_eq!(exact, wanted.iter().collect::<Vec<_>>());
    // Of what is not shown whole the bytes are not shown either.
    let cut = dump(built.bytes(), Select { arrays: Some(1), ..Select::ALL });
    let shown: Vec<bool> =
        cut["metadata"].as_array().unwrap().iter().map(|kv| kv.get("exact").is_some()).collect();
    assert_eq!(shown, [false, true, false, false, true, false]);
}
