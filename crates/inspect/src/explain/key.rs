//! Topics about metadata keys, their namespaces, and architectures.

use ggufkit_format::spec::{KEYS, KeyInfo, Lang, arch, keys};

use super::{Block, Topic, say};

/// The topic of a key as it stands in a file, or of a pattern (`{arch}.block_count`).
pub(super) fn topic(key: &str, lang: Lang) -> Option<Topic> {
    let info = KEYS
        .iter()
        .find(|info| info.pattern == key)
        .or_else(|| keys::lookup(key.as_bytes()))
        // Keys are lower case, whoever asks is not.
        .or_else(|| keys::lookup(key.to_ascii_lowercase().as_bytes()))?;
    let types: Vec<String> = info.types.iter().map(|ty| format!("`{ty}`")).collect();
    let or = if lang == Lang::En { " or " } else { " 或 " };
    let mut rows = vec![vec![say!(lang, "type", "类型"), types.join(or)]];
    if info.pattern != key {
        rows.push(vec![say!(lang, "pattern", "模式"), format!("`{}`", info.pattern)]);
    }
    if let Some(unit) = info.unit {
        rows.push(vec![say!(lang, "counts", "单位"), unit.get(lang).to_owned()]);
    }
    let mut body = Vec::new();
    if let Some(other) = info.deprecated {
        body.push(Block::Text {
            text: say!(lang, "Out of date: use `{other}`.", "已过时：请用 `{other}`。"),
        });
    }
    body.push(Block::Table { head: vec![String::new(), String::new()], rows });
    if info.types.len() > 1 {
        body.push(Block::Text {
            text: say!(
                lang,
                "The first type is the one that converters write. llama.cpp compares types exactly; a number in another \
                 width than it expects is a valid file that does not load.",
                "第一个类型是转换工具写入的类型。llama.cpp 严格比较类型；数值宽度与预期不同，文件合法却无法加载。"
            ),
        });
    }
    if !info.values.is_empty() {
        let head = match lang {
            Lang::En => ["Value", "Name", "Meaning"],
            Lang::Zh => ["取值", "名称", "含义"],
        };
        let rows = info.values.iter().map(|v| {
            let value = match v.value {
                keys::Choice::Int(n) => n.to_string(),
                keys::Choice::Str(s) => format!("`{s}`"),
            };
            let name =
                if matches!(v.value, keys::Choice::Str(_)) { String::new() } else { v.name.to_owned() };
            vec![value, name, v.meaning.get(lang).to_owned()]
        });
        body.push(Block::Heading { text: say!(lang, "Known values", "已知取值") });
        body.push(Block::Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() });
    }
    let mut see = vec![format!("keys/{}", space(info.pattern)), "metadata".to_owned()];
    let about = match info.pattern {
        "general.alignment" => Some("alignment"),
        "general.architecture" => Some("architectures"),
        "general.file_type" => Some("file-types"),
        "general.quantization_version" => Some("quantization"),
        pattern if pattern.starts_with("split.") => Some("shards"),
        _ => None,
    };
    see.splice(0..0, about.map(str::to_owned));
    Some(Topic {
        id: format!("keys/{key}"),
        title: key.to_owned(),
        summary: info.meaning.get(lang).to_owned(),
        body,
        see,
    })
}

/// The namespace of a pattern: its first segment; of an architecture's keys also the second, where more follows.
fn space(pattern: &str) -> &str {
    let mut dots = pattern.match_indices('.').map(|(at, _)| at);
    let (first, second) = (dots.next().unwrap_or(pattern.len()), dots.next());
    let end = match second {
        Some(second) if pattern.starts_with("{arch}.") => second,
        _ => first,
    };
    pattern.get(..end).unwrap_or(pattern)
}

/// The namespaces in the order of the table, each with its keys.
pub(super) fn namespaces() -> Vec<(&'static str, Vec<&'static KeyInfo>)> {
    let mut out: Vec<(&str, Vec<&KeyInfo>)> = Vec::new();
    for info in KEYS {
        let name = space(info.pattern);
        match out.iter_mut().find(|(n, _)| *n == name) {
            Some((_, keys)) => keys.push(info),
            None => out.push((name, vec![info])),
        }
    }
    out
}

/// The topic of a namespace: its keys in a table. `llama.attention` is found as `{arch}.attention`.
pub(super) fn namespace(name: &str, lang: Lang) -> Option<Topic> {
    let name = name.trim_end_matches('.');
    let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
    let resolved = match rest {
        Some(rest) if arch::is_known(first) && first != "clip" => format!("{{arch}}.{rest}"),
        _ => name.to_owned(),
    };
    // `attention` alone is enough.
    let under = format!("{{arch}}.{name}");
    let spaces = namespaces();
    let (found, keys) = spaces.iter().find(|(space, _)| *space == resolved || *space == under)?;
    let count = keys.len();
    Some(Topic {
        id: format!("keys/{found}"),
        title: say!(lang, "{found}.*, a namespace of keys", "{found}.*：键的命名空间"),
        summary: say!(lang, "{count} keys are known.", "已知 {count} 个键。"),
        body: vec![table(keys, lang)],
        see: vec!["keys".to_owned(), "metadata".to_owned()],
    })
}

/// Keys with types and meanings.
fn table(keys: &[&KeyInfo], lang: Lang) -> Block {
    let head = match lang {
        Lang::En => ["Key", "Type", "Meaning"],
        Lang::Zh => ["键", "类型", "含义"],
    };
    let rows = keys.iter().map(|info| {
        let ty = info.types.first().map(ToString::to_string).unwrap_or_default();
        vec![format!("`{}`", info.pattern), ty, info.meaning.get(lang).to_owned()]
    });
    Block::Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() }
}

/// The topic of an architecture that llama.cpp knows.
pub(super) fn architecture(name: &str, lang: Lang) -> Option<Topic> {
    let name = arch::ARCHITECTURES.iter().find(|known| known.eq_ignore_ascii_case(name))?;
    let key = |suffix: &str| KEYS.iter().find(|info| info.pattern == format!("{{arch}}.{suffix}"));
    let wanted =
        ["context_length", "embedding_length", "block_count", "feed_forward_length", "attention.head_count"];
    let rows = wanted.iter().filter_map(|suffix| {
        let info = key(suffix)?;
        Some(vec![format!("`{name}.{suffix}`"), info.meaning.get(lang).to_owned()])
    });
    let head = match lang {
        Lang::En => ["Key", "Meaning"],
        Lang::Zh => ["键", "含义"],
    };
    Some(Topic {
        id: format!("architectures/{name}"),
        title: say!(lang, "{name}, an architecture", "{name}：模型架构"),
        summary: say!(
            lang,
            "A value of `general.architecture` that llama.cpp knows. The model's own keys begin with `{name}.`",
            "llama.cpp 认识的 `general.architecture` 取值。该模型自己的键以 `{name}.` 开头。"
        ),
        body: vec![Block::Table { head: head.map(str::to_owned).to_vec(), rows: rows.collect() }],
        see: vec!["architectures".to_owned(), "keys/{arch}.attention".to_owned(), "keys".to_owned()],
    })
}
