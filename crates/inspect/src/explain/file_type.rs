//! Topics about file types.

use ggufkit_format::spec::{FileType, Lang, TensorType};

use super::{Block, Topic, say};

/// The topic of one file type.
pub(super) fn topic(ty: FileType, lang: Lang) -> Option<Topic> {
    let info = ty.info()?;
    let (id, short, name) = (info.ty.0, info.short_name(), info.name);
    let mut rows = vec![
        vec![say!(lang, "id", "编号"), format!("{id} (`general.file_type`)")],
        vec![say!(lang, "full name", "全称"), format!("`{name}`")],
    ];
    let mut see = vec!["file-types".to_owned(), "quantization".to_owned()];
    // Q4_K_M is a mix whose main type is Q4_K; F16 and Q4_0 are their own.
    let main = main_type(short);
    if let Some(info) = main.and_then(TensorType::info) {
        let (bits, name) = (info.bits_per_weight(), info.name);
        let text = say!(lang, "`{name}`, {bits} bits per weight", "`{name}`，每权重 {bits} 位");
        rows.push(vec![say!(lang, "main tensor type", "主要张量类型"), text]);
        see.insert(0, format!("types/{}", info.name));
    }
    let mut body = vec![Block::Table { head: vec![String::new(), String::new()], rows }];
    if ty.is_guessed() {
        body.push(Block::Text {
            text: say!(
                lang,
                "Bit 10 (1024) is set: a loader guessed this type from the tensors because the key was missing.",
                "第 10 位（1024）为 1：键缺失，由加载器根据张量猜测得出。"
            ),
        });
    }
    body.push(Block::Text {
        text: say!(
            lang,
            "A file type names the recipe, not the contents: small tensors such as norms stay F32, and recipes give some \
             tensors more bits. The type of every single tensor stands in the tensor table (`gguf tensors`).",
            "文件类型只是方案的名称，不等于内容：归一化等小张量保持 F32，部分张量会用更多位。每个张量的实际类型写在张量表里\
             （`gguf tensors`）。"
        ),
    });
    Some(Topic {
        id: format!("file-types/{short}"),
        title: say!(lang, "{short}, a file type", "{short}：文件类型"),
        summary: info.meaning.get(lang).to_owned(),
        body,
        see,
    })
}

/// The tensor type that a file type is named for.
fn main_type(short: &str) -> Option<TensorType> {
    let base = short.strip_suffix("_MOE").unwrap_or(short);
    let without_size = |name: &str| {
        let (front, size) = name.rsplit_once('_')?;
        ["S", "M", "L", "XS"].contains(&size).then(|| front.to_owned())
    };
    let ty = TensorType::from_name(base).or_else(|| TensorType::from_name(&without_size(base)?))?;
    (!ty.info()?.is_removed()).then_some(ty)
}
