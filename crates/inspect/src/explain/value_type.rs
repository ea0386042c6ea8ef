//! Topics about the types of metadata values.

use ggufkit_format::spaced_hex;
use ggufkit_format::spec::{KEYS, Lang, ValueType};

use super::{Block, Topic, say};

/// The topic of one value type.
pub(super) fn topic(ty: ValueType, lang: Lang) -> Option<Topic> {
    let (name, spec) = (ty.name()?, ty.spec_name()?);
    let mut body = Vec::new();
    let mut rows: Vec<(String, String)> = Vec::new();
    if ty.is_known() {
        rows.push((say!(lang, "id", "编号"), format!("{} → `{}`", ty.0, spaced_hex(&ty.0.to_le_bytes()))));
    }
    let size = match ty.fixed_size() {
        Some(1) if lang == Lang::En => "1 byte".to_owned(),
        Some(n) => say!(lang, "{n} bytes", "{n} 字节"),
        None if ty == ValueType::STRING => {
            say!(lang, "8 bytes of length, then the text", "8 字节长度，加上文本本身")
        }
        None => say!(lang, "12 bytes of head, then the elements", "开头 12 字节，然后是各元素"),
    };
    rows.push((say!(lang, "size", "大小"), size));
    if let Some(example) = example(ty) {
        rows.push((say!(lang, "example", "示例"), example));
    }
    let keys =
        KEYS.iter().filter(|key| key.types.first().is_some_and(|t| !t.is_array() && t.element() == ty));
    let keys: Vec<&str> = keys.map(|key| key.pattern).take(3).collect();
    if !keys.is_empty() {
        let joint = if lang == Lang::En { ", " } else { "、" };
        let list = keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(joint);
        rows.push((say!(lang, "used by", "使用者"), list));
    }
    let head = vec![String::new(), String::new()];
    body.push(Block::Table { head, rows: rows.into_iter().map(|(a, b)| vec![a, b]).collect() });
    body.extend(more(ty, lang).map(|text| Block::Text { text }));
    let mut see = vec!["value-types".to_owned(), "metadata".to_owned()];
    match ty {
        ValueType::STRING => see.insert(0, "strings".to_owned()),
        ValueType::ARRAY => see.insert(0, "arrays".to_owned()),
        ValueType::FLOAT16 => see.insert(0, "dialects".to_owned()),
        _ => {}
    }
    Some(Topic {
        id: format!("value-types/{name}"),
        title: say!(lang, "{spec}, a type of metadata values ({name})", "{spec}：元数据值的类型（{name}）"),
        summary: ty.meaning(lang).to_owned(),
        body,
        see,
    })
}

/// A value and its bytes in a little-endian file.
fn example(ty: ValueType) -> Option<String> {
    let bytes: (&str, Vec<u8>) = match ty {
        ValueType::UINT8 => ("200", vec![200]),
        ValueType::INT8 => ("-3", vec![(-3_i8) as u8]),
        ValueType::UINT16 => ("40000", 40000_u16.to_le_bytes().into()),
        ValueType::INT16 => ("-300", (-300_i16).to_le_bytes().into()),
        ValueType::UINT32 => ("4096", 4096_u32.to_le_bytes().into()),
        ValueType::INT32 => ("-1", (-1_i32).to_le_bytes().into()),
        ValueType::FLOAT32 => ("0.5", 0.5_f32.to_le_bytes().into()),
        ValueType::BOOL => ("true", vec![1]),
        ValueType::UINT64 => ("4096", 4096_u64.to_le_bytes().into()),
        ValueType::INT64 => ("-1", (-1_i64).to_le_bytes().into()),
        ValueType::FLOAT64 => ("0.5", 0.5_f64.to_le_bytes().into()),
        ValueType::STRING => ("\"hi\"", [&2_u64.to_le_bytes()[..], b"hi"].concat()),
        ValueType::ARRAY => {
            ("[7, 8] of u8", [&0_u32.to_le_bytes()[..], &2_u64.to_le_bytes()[..], &[7, 8]].concat())
        }
        _ => return None,
    };
    Some(format!("{} → `{}`", bytes.0, spaced_hex(&bytes.1)))
}

/// What has to be known beyond the table.
fn more(ty: ValueType, lang: Lang) -> Option<String> {
    Some(match ty {
        ValueType::BOOL => say!(
            lang,
            "Readers differ on other bytes: most take anything but 0 for true. ggufkit reads such a byte as true, keeps it \
             as it is, and says so (`odd-bool`).",
            "对其他取值，各读取程序做法不一，多数把非 0 视为真。ggufkit 读作真，原样保留该字节，并给出提示（`odd-bool`）。"
        ),
        ValueType::FLOAT32 => say!(
            lang,
            "Layout: 1 sign bit, 8 exponent bits (bias 127), 23 mantissa bits. Infinities and NaN are possible; in JSON \
             ggufkit writes them as strings, since JSON has no numbers for them.",
            "布局：符号 1 位，指数 8 位（偏移 127），尾数 23 位。可能出现无穷大和 NaN；JSON 没有这类数字，ggufkit 在 JSON \
             中把它们写成字符串。"
        ),
        ValueType::UINT64 => say!(
            lang,
            "The specification lets counts be u32 or u64, but llama.cpp compares types exactly: a `llama.context_length` \
             written as u64 is a valid file that it does not load.",
            "规范允许计数用 u32 或 u64，但 llama.cpp 严格比较类型：把 `llama.context_length` 写成 u64，文件合法，却无法加载。"
        ),
        _ => return None,
    })
}
