use ggufkit_format::dialect::Dialect;
use ggufkit_format::spec::KEYS;

use super::*;

const LANGS: [Lang; 2] = [Lang::En, Lang::Zh];

/// Every topic there is, by the name that finds it.
fn ids() -> Vec<String> {
    let mut ids: Vec<String> = PROSE.iter().map(|prose| prose.id.to_owned()).collect();
    ids.extend(ValueType::ALL.iter().map(|ty| format!("value-types/{ty}")));
    ids.push("value-types/f16".to_owned());
    ids.extend(TENSOR_TYPES.iter().map(|info| format!("types/{}", info.name)));
    ids.extend(FILE_TYPES.iter().map(|info| format!("file-types/{}", info.short_name())));
    ids.extend(KEYS.iter().map(|info| format!("keys/{}", info.pattern)));
    ids.extend(key::namespaces().iter().map(|(name, _)| format!("keys/{name}")));
    ids.extend(arch::ARCHITECTURES.iter().map(|name| format!("architectures/{name}")));
    ids.extend(["bad-magic", "limit", "odd-bool", "nested-array"].map(|code| format!("errors/{code}")));
    ids
}

#[test]
fn every_topic_exists_in_both_languages() {
    for id in ids() {
        let [en, zh] = LANGS.map(|lang| {
            let found = find(&id, lang);
            assert_eq!(found.len(), 1, "{id}");
            found.into_iter().next().unwrap()
        });
        assert_eq!((&en.id, &en.see), (&zh.id, &zh.see), "{id}");
        assert!(
            !en.title.is_empty() && !en.summary.is_empty() && !zh.title.is_empty() && !zh.summary.is_empty()
        );
        assert!(en.summary.is_ascii(), "{id}: {}", en.summary);
        assert!(!zh.summary.is_ascii(), "{id}: {}", zh.summary);
        // The same pieces in the same order: nothing was left out of a translation.
        let kinds = |topic: &Topic| topic.body.iter().map(std::mem::discriminant).collect::<Vec<_>>();
        let plain = |topic: &Topic| !topic.id.starts_with("errors/");
        assert!(!plain(&en) || kinds(&en) == kinds(&zh), "{id}: {:?} {:?}", en.body.len(), zh.body.len());
        for (a, b) in en.body.iter().zip(&zh.body) {
            if let (Block::List { items: a, .. }, Block::List { items: b, .. }) = (a, b) {
                assert_eq!(a.len(), b.len(), "{id}");
            }
        }
    }
}

#[test]
fn topics_lead_to_topics() {
    for id in ids() {
        for topic in find(&id, Lang::En) {
            for see in &topic.see {
                assert_eq!(find(see, Lang::En).len(), 1, "{id} sees {see}");
                assert_ne!(*see, topic.id);
            }
        }
    }
}

#[test]
fn the_texts_name_commands_and_topics_that_exist() {
    for prose in PROSE {
        for lang in LANGS {
            let topic = topics::topic(prose, lang);
            let mut texts: Vec<&String> = vec![&topic.summary];
            for block in &topic.body {
                match block {
                    Block::Text { text } => texts.push(text),
                    Block::List { items, .. } => texts.extend(items),
                    _ => {}
                }
            }
            for text in texts {
                assert_eq!(text.matches('`').count() % 2, 0, "{text}");
                assert_eq!(text.matches("**").count() % 2, 0, "{text}");
                assert!(!text.contains("{{"), "{text}");
                // `(alignment)` in running text points to a topic.
                let open = if lang == Lang::En { "(`" } else { "（`" };
                for (at, _) in text.match_indices(open) {
                    let word = text[at + open.len()..].split('`').next().unwrap();
                    let word = word.strip_prefix("gguf explain ").unwrap_or(word);
                    let is_topic = !find(word, lang).is_empty();
                    assert!(
                        is_topic || word.starts_with("--") || word.starts_with('\\') || word == "mmproj",
                        "{word}"
                    );
                }
            }
        }
    }
}

#[test]
fn every_insert_is_used_and_made() {
    for name in insert::NAMES {
        for lang in LANGS {
            let blocks = insert::insert(name, lang).unwrap_or_default();
            assert!(!blocks.is_empty(), "{name}");
        }
    }
    let source = |id: &str, lang: &str| {
        let path = format!("{}/src/explain/text/{lang}/{id}.md", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    let mut used = Vec::new();
    for prose in PROSE {
        let inserts = |lang| -> Vec<String> {
            let source = source(prose.id, lang);
            let names = source.lines().filter_map(|line| line.strip_prefix("{{")?.strip_suffix("}}"));
            names.map(str::to_owned).collect()
        };
        assert_eq!(inserts("en"), inserts("zh"), "{}", prose.id);
        used.extend(inserts("en"));
    }
    for name in &used {
        assert!(insert::NAMES.contains(&name.as_str()), "{name}");
    }
    for name in insert::NAMES {
        assert!(used.iter().any(|used| used == name), "{name} is not used");
    }
}

#[test]
fn drawn_parts_sum_to_the_block_and_bits_cover_every_byte() {
    for info in TENSOR_TYPES.iter().filter(|info| !info.is_removed()) {
        let topic = find(&format!("types/{}", info.name), Lang::En).remove(0);
        let strip = topic.body.iter().find_map(|block| match block {
            Block::Strip { cells, .. } => Some(cells),
            _ => None,
        });
        let sum: u64 = strip.unwrap().iter().map(|cell| cell.size).sum();
        assert_eq!(sum, u64::from(info.block_bytes), "{}", info.name);
        let rows = topic.body.iter().find_map(|block| match block {
            Block::Bits { rows } => Some(rows),
            _ => None,
        });
        let mut next = 0;
        for row in rows.unwrap() {
            match row {
                BitRow::Byte { byte, cells, part } => {
                    assert_eq!(*byte, next, "{}", info.name);
                    assert_eq!(cells.iter().map(|cell| u32::from(cell.bits)).sum::<u32>(), 8);
                    assert!(info.parts.iter().any(|p| p.name == *part));
                    next += 1;
                }
                BitRow::Fold { bytes } => next += bytes,
            }
        }
        assert_eq!(next, info.block_bytes, "{}", info.name);
    }
}

#[test]
fn words_find_what_they_name() {
    let first = |word: &str| find(word, Lang::En).first().map(|topic| topic.id.clone());
    for (word, id) in [
        ("overview", "format"),
        ("KV", "metadata"),
        ("tensor-info", "tensors"),
        ("q4_K", "types/Q4_K"),
        ("q4_k_m", "file-types/Q4_K_M"),
        ("STRING", "value-types/string"),
        ("general.alignment", "keys/general.alignment"),
        ("llama.attention.head_count", "keys/llama.attention.head_count"),
        ("keys/rope", "keys/{arch}.rope"),
        ("qwen3.rope", "keys/{arch}.rope"),
        ("general", "keys/general"),
        ("Qwen3", "architectures/qwen3"),
        ("bad-magic", "errors/bad-magic"),
        ("file-types/15", "file-types/Q4_K_M"),
        ("12", "12"),
    ] {
        assert_eq!(first(word).as_deref(), Some(id), "{word}");
    }
    // One word, three things.
    let all: Vec<String> = find("f32", Lang::En).into_iter().map(|topic| topic.id).collect();
    assert_eq!(all, ["value-types/f32", "types/F32", "file-types/F32"]);
    for (name, _) in Dialect::CANDIDATES {
        assert_eq!(first(name).as_deref(), Some("dialects"));
    }
    for word in ["", "nonsense", "types/Q9_Z", "99999", "keys/", "\u{1b}[31m"] {
        assert!(find(word, Lang::En).is_empty(), "{word}");
    }
}

#[test]
fn a_mistyped_word_is_told_what_is_near() {
    assert_eq!(near("aligment", 3).first().map(String::as_str), Some("alignment"));
    assert!(near("q4_kk", 5).iter().any(|name| name == "Q4_K"));
    assert!(near("llama.context_lenght", 3).iter().any(|name| name == "{arch}.context_length"));
    assert!(near("zzzzzzzzzzzz", 3).is_empty());
}

#[test]
fn worked_numbers_are_right() {
    let lines = |name: &str| -> Vec<String> {
        insert::insert(name, Lang::En)
            .unwrap()
            .into_iter()
            .flat_map(|block| match block {
                Block::Verbatim { lines } => lines,
                _ => Vec::new(),
            })
            .collect()
    };
    // By hand: 24 + 8+20+4+8+4 + 8+16+4+4 + 8+1+4+8+4+8 = 133; 133 mod 32 = 5; 32 - 5 = 27.
    assert!(
        lines("alignment-worked")[2].ends_with("32 - 5 = 27 bytes of zero"),
        "{:?}",
        lines("alignment-worked")
    );
    // 250 floats are 1000 bytes, padded by 24; 3 blocks of 144 are 432, padded by 16.
    assert_eq!(
        lines("offsets-worked"),
        ["offset[0] = 0", "offset[1] = 0 + 1000 + 24 = 1024", "offset[2] = 1024 + 432 + 16 = 1472"]
    );
    assert_eq!(lines("quantization-worked"), ["d = -0.80 / -8 = 0.10"]);
}

#[test]
fn the_stem_of_type_names_is_answered_with_the_family() {
    let found = find("q4", Lang::En);
    assert_eq!(found.len(), 1);
    for id in ["types/Q4_0", "types/Q4_1", "types/Q4_K", "file-types/Q4_K_M"] {
        assert!(found[0].see.iter().any(|see| see == id), "{id}");
    }
    assert!(!found[0].see.iter().any(|see| see.contains("IQ4") || see.contains("TQ")));
    assert!(find("IQ2", Lang::Zh)[0].see.iter().any(|see| see == "types/IQ2_XXS"));
    // A name that is one is the type.
    assert_eq!(find("Q4_K", Lang::En)[0].id, "types/Q4_K");
    assert!(find("Q", Lang::En).is_empty());
    assert!(find("_", Lang::En).is_empty());
    assert_eq!(find("bits", Lang::En)[0].id, "quantization");
    assert!(near("quantiz", 4).iter().any(|name| name == "quantization"));
}

#[test]
fn no_picture_of_bits_is_longer_than_a_screen_or_two() {
    for info in ggufkit_format::spec::TENSOR_TYPES.iter().filter(|info| !info.is_removed()) {
        let topic = find(&format!("types/{}", info.name), Lang::En).remove(0);
        for rows in
            topic.body.iter().filter_map(|b| if let Block::Bits { rows } = b { Some(rows) } else { None })
        {
            assert!(rows.len() <= 48, "{}: {}", info.name, rows.len());
            let bytes: u32 =
                rows.iter().map(|r| if let BitRow::Fold { bytes } = r { *bytes } else { 1 }).sum();
            assert_eq!(bytes, info.block_bytes, "{}", info.name);
        }
    }
}
