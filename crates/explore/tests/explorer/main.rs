//! The explorer on a screen in memory: what stands there after which keys. What is expected comes from how the files are
//! built: names, positions that the test kit tells, and arithmetic.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

mod screen;
mod whole;

use ggufkit::format::spec::Lang;
use ggufkit::io::ShardProblem;
use ggufkit_explore::{Action, Pane, Settings};
use ggufkit_testkit::{Builder, Kind, Tensor, Value, controls};
use ratatui::style::{Color, Modifier};

use screen::{Screen, on, on_files, on_set};

const PLAIN: Settings = Settings { lang: Lang::En, colour: false };

fn model() -> Builder {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("general.name", "Small")
        .kv("llama.block_count", 1_u32)
        .kv("tokenizer.ggml.tokens", Value::strings(["<s>", "hello", "world", "hello again"]))
        .tensor(Tensor::f32("token_embd.weight", &[4, 2]))
        .tensor(Tensor::f32("output.weight", &[4, 4]))
}

#[test]
fn the_tree_opens_and_closes_and_leads_to_the_bytes() {
    let built = model().build();
    on(built.bytes(), (80, 24), PLAIN, |screen| {
        assert!(screen.text().contains("general.architecture  string  \"llama\""), "{}", screen.text());
        assert_eq!(screen.selected(), "▾ general  2");
        assert_eq!(screen.keys("h").selected(), "▸ general  2");
        assert!(!screen.text().contains("general.name"));
        assert_eq!(screen.keys("ljj").selected(), "general.name  string  \"Small\"");
        screen.keys("\n");
        assert_eq!(screen.explorer.pane(), Pane::Bytes);
        let key = built.span("kv[1].key");
        assert_eq!(screen.explorer.place(), (0, key.start - 8), "the length of the key stands before it");
        assert!(screen.text().contains("kv[1].key.length"), "{}", screen.text());
        assert_eq!(screen.keys("w").explorer.place().1, key.start);
        assert!(screen.text().contains("\"general.name\""), "{}", screen.text());
        assert_eq!(screen.keys("w").explorer.place().1, key.end());
        assert_eq!(screen.keys("b").explorer.place().1, key.start);
        assert_eq!(screen.keys("u").selected(), "general.name  string  \"Small\"");
    });
}

#[test]
fn texts_are_found_in_closed_arrays_both_ways_and_around() {
    on(&model().bytes(), (80, 24), PLAIN, |screen| {
        assert_eq!(screen.keys("/HELLO\n").selected(), "[1] \"hello\"");
        assert_eq!(screen.keys("n").selected(), "[3] \"hello again\"");
        assert_eq!(screen.keys("n").selected(), "[1] \"hello\"");
        assert_eq!(screen.keys("N").selected(), "[3] \"hello again\"");
        assert_eq!(screen.keys("/block_count\n").selected(), "llama.block_count  u32  1");
        screen.keys("/nowhere\n");
        assert!(screen.text().contains("not found: nowhere"), "{}", screen.text());
        assert_eq!(screen.selected(), "llama.block_count  u32  1");
        screen.keys("fsmall\n");
        assert!(
            screen.text().contains("general.name") && !screen.text().contains("block_count"),
            "{}",
            screen.text()
        );
        screen.keys("f").explorer.act(Action::Cancel);
        assert!(!screen.explorer.is_asking());
    });
}

#[test]
fn places_are_gone_to_by_number_by_key_and_by_tensor() {
    let built = model().build();
    on(built.bytes(), (80, 24), PLAIN, |screen| {
        screen.keys(":0x18\n");
        assert_eq!((screen.explorer.pane(), screen.explorer.place().1), (Pane::Bytes, 24));
        screen.keys(":llama.block_count\n");
        assert_eq!(
            (screen.explorer.pane(), screen.selected()),
            (Pane::Tag, "llama.block_count  u32  1".to_owned())
        );
        assert_eq!(screen.keys(":kv[1].value\n").selected(), "general.name  string  \"Small\"");
        screen.keys(":output.weight\n");
        assert_eq!(screen.explorer.pane(), Pane::Tensors);
        assert!(screen.selected().starts_with("output.weight"));
        let data = built.span("tensors[1].data");
        assert_eq!(screen.keys("\n").explorer.place().1, data.start);
        assert!(screen.text().contains("data of output.weight"), "{}", screen.text());
        let last = built.size() - 1;
        assert_eq!(screen.keys(&format!(":{last}\n")).explorer.place().1, last);
        for beyond in [built.size().to_string(), "0xffffffffffffffff".to_owned(), "9".repeat(30)] {
            screen.keys(&format!(":{beyond}\n"));
            let said = format!("beyond the end of the file: {:#x}", built.size());
            assert!(screen.text().contains(&said), "{}", screen.text());
            assert_eq!(screen.explorer.place().1, last, "and nothing is gone to");
        }
        screen.keys("/0x47475546\n");
        assert_eq!(screen.explorer.place().1, built.size() - 1, "nothing behind");
        screen.keys("N");
        assert_eq!(screen.explorer.place().1, 0, "the magic");
    });
}

#[test]
fn tensors_are_sorted_and_filtered_and_the_selected_one_stays_selected() {
    on(&model().bytes(), (80, 24), PLAIN, |screen| {
        let rows = |screen: &mut Screen<'_>| -> Vec<String> {
            let text = screen.text();
            let rows = text
                .lines()
                .filter(|line| line.contains("F32"))
                .map(|line| line.split(' ').next().unwrap().to_owned());
            rows.filter(|name| name.ends_with(".weight")).collect()
        };
        screen.keys("2");
        assert_eq!(rows(screen), ["token_embd.weight", "output.weight"]);
        screen.keys("s");
        assert_eq!(rows(screen), ["output.weight", "token_embd.weight"], "by name");
        assert!(screen.selected().starts_with("token_embd.weight"));
        screen.keys("s");
        assert_eq!(rows(screen), ["output.weight", "token_embd.weight"], "by size: 64 and 32 bytes");
        screen.keys("ftoken\n");
        assert_eq!(rows(screen), ["token_embd.weight"]);
    });
}

#[test]
fn what_is_copied_goes_to_the_terminal_that_one_looks_at() {
    on(&model().bytes(), (80, 24), PLAIN, |screen| {
        assert_eq!(screen.keys("jjy").explorer.take_copied().unwrap(), "\u{1b}]52;c;U21hbGw=\u{7}", "Small");
        assert_eq!(screen.explorer.take_copied(), None);
        // kv[1].value
        assert_eq!(screen.keys("Y").explorer.take_copied().unwrap(), "\u{1b}]52;c;a3ZbMV0udmFsdWU=\u{7}");
        // 47 47 55 46
        assert_eq!(screen.keys(":0\ny").explorer.take_copied().unwrap(), "\u{1b}]52;c;NDcgNDcgNTUgNDY=\u{7}");
    });
}

#[test]
fn a_finding_leads_to_its_bytes() {
    let mut built = model().build();
    let place = built.span("tensors[1].offset");
    built.set_u64("tensors[1].offset", 33);
    on(built.bytes(), (80, 24), PLAIN, |screen| {
        screen.keys("4/misaligned\n");
        assert!(screen.selected().starts_with("error   GG203"), "{}", screen.text());
        assert!(screen.text().contains("33 is not a multiple of 32"), "{}", screen.text());
        assert_eq!(screen.keys("\n").explorer.place(), (0, place.start));
    });
}

#[test]
fn what_cannot_be_read_is_told_and_its_bytes_are_there() {
    let built = model().build();
    let broken = built.bytes().get(..60).unwrap();
    on(broken, (80, 24), PLAIN, |screen| {
        assert!(screen.text().contains("4 Check ("), "{}", screen.text());
        assert!(screen.keys("3").text().contains("47 47 55 46"), "{}", screen.text());
        assert_eq!(screen.keys("G").explorer.place().1, 59);
    });
    on(b"not a model at all, but some text", (80, 24), PLAIN, |screen| {
        assert_eq!(screen.explorer.pane(), Pane::Check);
        assert!(screen.keys("1").text().contains("the head could not be read: "), "{}", screen.text());
        assert!(screen.keys("3").text().contains("not a model at a"), "{}", screen.text());
    });
    on(b"", (80, 24), PLAIN, |screen| {
        screen.keys("123jkwbG\ny:5\n");
        assert_eq!(screen.explorer.place(), (0, 0));
    });
}

#[test]
fn no_text_of_a_file_acts_on_the_terminal() {
    let hostile = "\u{1b}]0;owned\u{7}\u{202e}\r\n\t\u{9b}31m";
    let bytes = Builder::new()
        .kv(format!("general.{hostile}"), hostile)
        .kv("general.list", Value::strings([hostile]))
        .tensor(Tensor::f32(hostile, &[4]))
        .bytes();
    let cut = Builder::new().kv("a", 1_u8).kv(format!("b.{hostile}"), hostile).build();
    let cut = &cut.bytes()[..usize::try_from(cut.span("kv[1].value").end() - 1).unwrap()];
    let (name, other) = (format!("{hostile}-00001-of-00003.gguf"), format!("{hostile}-00002-of-00003.gguf"));
    let missing = ShardProblem::Missing { no: 3, count: 3, path: format!("{hostile}.gguf").into() };
    let files = [(name.as_str(), bytes.as_slice()), (other.as_str(), cut)];
    for lang in [Lang::En, Lang::Zh] {
        let settings = Settings { lang, colour: false };
        on_set(&files, (None, std::slice::from_ref(&missing)), (100, 30), settings, |screen| {
            let keys = [
                "", "jljjj", "v", "q2", "v", "q3", "v", "q]", "v", "q4", "v", "qjj", "v", "qG", "v", "q!",
                "G",
            ];
            for keys in keys.into_iter().chain(["q1:general.list\nl/owned\n", "v", "y", "Y"]) {
                let text = screen.keys(keys).text();
                let acts = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c);
                assert!(!text.chars().any(acts), "{keys}: {text:?}");
            }
        });
    }
}

#[test]
fn every_row_of_every_screen_has_room_in_any_window_and_language() {
    for (width, height) in [(80, 24), (40, 10), (20, 5), (8, 3), (1, 1), (200, 60)] {
        for lang in [Lang::En, Lang::Zh] {
            let bytes = controls::everything(3, ggufkit::format::Endian::Little).bytes();
            on(&bytes, (width, height), Settings { lang, colour: true }, |screen| {
                screen.keys("jjljjjhG/a\nnN\t\tjjwbG\tjj?q?\u{1b}:kv[2]\n2sfz\nsG3");
                assert!(!screen.explorer.is_done() || screen.explorer.pane() == Pane::Bytes);
            });
        }
    }
}

#[test]
fn without_colours_there_are_none_and_the_selection_is_seen_all_the_same() {
    let colours = |colour: bool| {
        let mut found = 0;
        on(&model().bytes(), (80, 24), Settings { lang: Lang::En, colour }, |screen| {
            for keys in ["", "2", "3", "4"] {
                screen.keys(keys);
                let content = &screen.terminal.backend().buffer().content;
                found +=
                    content.iter().filter(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset).count();
                let seen = content.iter().skip(80).any(|cell| cell.modifier.contains(Modifier::REVERSED));
                assert!(seen || keys == "4", "{keys}");
            }
        });
        found
    };
    assert_eq!(colours(false), 0);
    assert!(colours(true) > 0);
}

#[test]
fn the_mouse_selects_rows_bytes_and_panes() {
    let built = model().build();
    on(built.bytes(), (80, 24), PLAIN, |screen| {
        screen.draw().explorer.act(Action::Click { column: 10, row: 3 });
        assert_eq!(screen.selected(), "general.name  string  \"Small\"");
        screen.explorer.act(Action::Click { column: 10, row: 3 });
        assert_eq!(
            (screen.draw().explorer.pane(), screen.explorer.place().1),
            (Pane::Bytes, built.span("kv[1].key").start - 8)
        );
        screen.keys(":0\n");
        // "0x00000 " takes seven columns of this file and a space; the ninth byte stands behind one more.
        let digits = format!("{:x}", built.size() - 1).len().max(4) as u16;
        screen.explorer.act(Action::Click { column: digits + 4 + 8 * 3 + 1, row: 2 });
        assert_eq!(screen.draw().explorer.place().1, 24);
        screen.explorer.act(Action::Click { column: 8, row: 0 });
        assert_eq!(screen.explorer.pane(), Pane::Tensors);
        screen.explorer.act(Action::Rows(3));
        assert!(screen.selected().starts_with("output.weight"));
    });
}

#[test]
fn an_array_of_many_elements_is_gone_through_as_one_of_few() {
    let texts: Vec<String> = (0..262_144).map(|n| format!("token{n}")).collect();
    let bytes = Builder::new().kv("tokenizer.ggml.tokens", Value::strings(&texts)).kv("a.b", 1_u8).bytes();
    on(&bytes, (80, 24), PLAIN, |screen| {
        assert_eq!(screen.keys("/token262143\n").selected(), "[262143] \"token262143\"");
        assert_eq!(screen.keys("k").selected(), "[262142] \"token262142\"");
        assert_eq!(screen.keys("G").selected(), "a.b  u8  1");
        assert_eq!(screen.keys(":tokenizer.ggml.tokens\n").selected().split_once(' ').unwrap().0, "▾");
        let place = screen.keys("j\n").explorer.place().1;
        let text = bytes.windows(6).position(|window| window == b"token0").unwrap() as u64;
        assert_eq!(place, text - 8);
    });
    let arrays = Value::nested([Value::Array(Kind::U8, vec![Value::U8(7)]), Value::strings(["x"])]);
    on(&Builder::new().kv("a.b", arrays).bytes(), (80, 24), PLAIN, |screen| {
        assert_eq!(screen.keys("jlj").selected(), "[0] [7]");
        assert_eq!(screen.keys("j").selected(), "[1] [\"x\"]");
    });
}

/// Bytes that belong to nothing are called what the page calls them.
#[test]
fn bytes_between_tensors_and_behind_them_have_names() {
    let two = Builder::new().tensor(Tensor::f32("a", &[3])).tensor(Tensor::f32("b", &[3]));
    let mut built = two.build();
    let (first, second) = (built.span("tensors[0].data"), built.span("tensors[1].data"));
    built.set_u64("tensors[1].offset", 96);
    let mut bytes = built.bytes().to_vec();
    bytes.resize(usize::try_from(second.end()).unwrap() + 64 + 200, 0);
    on(&bytes, (80, 24), PLAIN, |screen| {
        for (at, called) in [
            (first.start, "data of a"),
            (first.end(), "padding"),
            (first.start + 40, "gap"),
            (first.start + 96, "data of b"),
            (bytes.len() as u64 - 1, "bytes behind the data"),
        ] {
            let text = screen.keys(&format!(":{at}\n")).text();
            assert!(text.contains(called), "{at}: {called}\n{text}");
        }
    });
}

#[test]
fn a_set_says_once_what_holds_for_all_its_files_and_a_search_stays_in_its_file() {
    let (one, other) =
        (model().bytes(), Builder::new().kv("a", 1_u32).tensor(Tensor::f32("x", &[4])).bytes());
    on_files(&[("m-1.gguf", &one), ("m-2.gguf", &other)], (100, 24), PLAIN, |screen| {
        let text = screen.keys("4").text();
        assert_eq!(text.matches("the values of the weights: they were not read").count(), 1, "{text}");
        assert!(text.contains("they were not read (2 files)"), "{text}");
        screen.keys("3");
        for action in [Action::Search, Action::Type('z'), Action::Enter] {
            screen.explorer.act(action);
        }
        assert!(screen.explorer.is_busy());
        for action in [Action::Whole, Action::Close, Action::Rows(1)] {
            screen.explorer.act(action);
            assert!(screen.text().contains("looking for it"), "{}", screen.text());
        }
        screen.explorer.act(Action::File(1));
        assert!(!screen.explorer.is_busy());
        assert!(screen.text().contains("stopped") && screen.text().contains("m-2.gguf"), "{}", screen.text());
        assert_eq!(screen.explorer.place(), (1, 0));
    });
}

#[test]
fn the_keys_can_be_read_in_a_window_that_is_smaller_than_they_are() {
    on(&model().bytes(), (40, 8), PLAIN, |screen| {
        let text = screen.keys("?").text();
        assert!(text.contains("a row down, up") && !text.contains("leave"), "{text}");
        assert!(screen.keys("jj").text().contains("PgDn"), "{}", screen.text());
        assert!(!screen.text().contains("a row down, up"), "{}", screen.text());
        let text = screen.keys("G").text();
        assert!(text.contains("leave") && !text.contains("a row down, up"), "{text}");
        assert!(screen.keys("kg").text().contains("a row down, up"), "{}", screen.text());
        // Below, nothing has moved.
        assert_eq!(screen.keys("?").selected(), "▾ general  2");
    });
}
