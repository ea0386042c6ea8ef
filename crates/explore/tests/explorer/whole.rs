//! That everything that is told can be read to its end in windows of any size, in both languages, and that nothing is said of what
//! was not read.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ggufkit::format::spec::Lang;
use ggufkit::io::{ShardProblem, ShardSet};
use ggufkit_explore::{Action, Pane, Settings, of_key};
use ggufkit_testkit::{Builder, Tensor, Value};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::model;
use super::screen::{Screen, on, on_files, on_set};

const SIZES: [(u16, u16); 3] = [(80, 24), (60, 12), (40, 8)];
const LANGS: [Lang; 2] = [Lang::En, Lang::Zh];

const fn plain(lang: Lang) -> Settings {
    Settings { lang, colour: false }
}

/// Each size in each language.
fn everywhere(mut test: impl FnMut((u16, u16), Settings)) {
    for size in SIZES {
        for lang in LANGS {
            test(size, plain(lang));
        }
    }
}

/// A text without spaces and ends of lines, which differ from size to size.
fn joined(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// What stands in the window that is open, read to its end with `j`.
fn read(screen: &mut Screen<'_>) -> String {
    let rows = |screen: &mut Screen<'_>| -> Vec<String> {
        let text = screen.text();
        let rows = text.lines().filter_map(|line| line.trim().strip_prefix('│')?.strip_suffix('│'));
        rows.map(|row| row.trim_end().to_owned()).collect()
    };
    let mut all = rows(screen);
    loop {
        let before = rows(screen);
        let after = rows(screen.keys("j"));
        if before == after {
            return all.join("\n");
        }
        all.extend(after.last().cloned());
    }
}

/// What was copied.
fn copied(screen: &mut Screen<'_>) -> Option<String> {
    let sequence = screen.explorer.take_copied()?;
    let text = sequence.strip_prefix("\u{1b}]52;c;").unwrap().strip_suffix('\u{7}').unwrap().to_owned();
    Some(String::from_utf8(STANDARD.decode(text).unwrap()).unwrap())
}

/// A head that breaks off within the tokens: two keys of four, and no tensors.
fn broken() -> (Vec<u8>, u64) {
    let built = model().build();
    let cut = usize::try_from(built.span("kv[3].value").start + 30).unwrap();
    (built.bytes()[..cut].to_vec(), built.span("kv[2].value").end())
}

#[test]
fn a_finding_is_read_to_what_to_do_about_it_in_any_window() {
    let (bytes, _) = broken();
    everywhere(|size, settings| {
        on(&bytes, size, settings, |screen| {
            let said = match settings.lang {
                Lang::En => [
                    "the file ends inside kv[3].value",
                    "header.kv_count  4 key-values declared",
                    "compare its size with the publisher's, and fetch it again",
                ],
                Lang::Zh => [
                    "文件在头部中间就结束了",
                    "header.kv_count  4 key-values declared",
                    "请与发布者给出的大小核对，并重新下载",
                ],
            };
            let text = joined(&read(screen.keys("4v")));
            for said in said {
                assert!(text.contains(&joined(said)), "{size:?} {said}\n{text}");
            }
            // What is copied is all of it.
            let all = screen.keys("y").explorer.take_copied();
            assert!(all.is_some());
            screen.explorer.act(Action::Copy);
            let all = joined(&copied(screen).unwrap());
            assert_eq!(all, text, "{size:?}");
            // q closes the window, and leaves only then.
            assert!(!screen.keys("q").explorer.is_done());
            assert!(screen.keys("q").explorer.is_done());
        });
    });
}

#[test]
fn what_is_told_is_marked_where_it_is_cut_and_scrolled_where_it_stands() {
    let text = format!("first {} last", "word ".repeat(400));
    let bytes = Builder::new().kv("general.description", text.as_str()).bytes();
    everywhere(|size, settings| {
        on(&bytes, size, settings, |screen| {
            let seen = screen.keys("j").text();
            let (mark, key) = if settings.lang == Lang::En {
                ("v whole text", "J K scroll")
            } else {
                ("v 全文", "J K 滚动")
            };
            assert!(seen.contains(mark) && !seen.contains(" last\""), "{size:?} {seen}");
            assert_eq!(seen.contains(key), size.0 > 40 || settings.lang == Lang::Zh, "{size:?} {seen}");
            assert!(seen.contains("▼"), "{size:?} {seen}");
            for _ in 0..200 {
                screen.explorer.act(Action::Told(1));
            }
            let seen = screen.text();
            assert!(seen.contains("last\"") && seen.contains("▲") && !seen.contains("▼"), "{size:?} {seen}");
            // A copy leaves it where it is; another row begins at its first one.
            assert!(screen.keys("y").text().contains("last\""));
            assert!(!screen.keys("kj").text().contains("last\""));
        });
    });
}

#[test]
fn what_was_not_examined_is_told_with_its_reason_in_both_languages() {
    let (bytes, end) = broken();
    everywhere(|size, settings| {
        on(&bytes, size, settings, |screen| {
            let (what, why) = match settings.lang {
                Lang::En => {
                    ("what follows the last record that was read", "the head could not be read to its end")
                }
                Lang::Zh => ("读到的最后一条记录之后的内容", "头部无法完整读取"),
            };
            let text = joined(&read(screen.keys("4Gv")));
            for said in [what, why, &format!("{end:#x}..{:#x}", bytes.len())] {
                assert!(text.contains(&joined(said)), "{size:?} {said}\n{text}");
            }
            let (other, _) = if settings.lang == Lang::En { ("读", "") } else { ("the head", "") };
            assert!(!text.contains(&joined(other)), "{text}");
            screen.keys("qy");
            let text = copied(screen).unwrap();
            assert!(text.contains(what) && text.contains(why), "{text}");
        });
        on(&model().bytes(), size, settings, |screen| {
            let (what, why) = match settings.lang {
                Lang::En => ("the values of the weights", "they were not read"),
                Lang::Zh => ("权重的数值", "没有读取"),
            };
            let text = joined(&read(screen.keys("4/--data\nv")));
            assert!(text.contains(&joined(what)) && text.contains(&joined(why)), "{size:?}\n{text}");
        });
    });
}

#[test]
fn long_values_are_read_whole_and_copied_whole_or_not_at_all() {
    let lines: Vec<String> = (0..3000).map(|n| format!("{{{{ line {n} }}}}")).collect();
    let text = lines.join("\n");
    let longer = "x".repeat(70_001);
    let longest = format!("{}end", "模".repeat(100_000));
    let bytes = Builder::new()
        .kv("tokenizer.chat_template", text.as_str())
        .kv("tokenizer.longer", longer.as_str())
        .kv("tokenizer.longest", longest.as_str())
        .kv("tokenizer.list", Value::strings(&lines))
        .bytes();
    everywhere(|size, settings| {
        on(&bytes, size, settings, |screen| {
            let seen = screen.keys("jvG").text();
            // A line of the value is a row, or more.
            assert!(seen.contains("│{{ line 2999 }}\""), "{seen}");
            assert!(seen.contains("│{{ line 2998 }}\\n"), "{seen}");
            assert!(screen.keys("kk").text().contains("{{ line 2995 }}"), "{}", screen.text());
            assert_eq!(copied(screen.keys("y")).unwrap(), text);
            let too_long = if settings.lang == Lang::En { "too long for" } else { "太长" };
            let seen = screen.keys("qjy").text();
            assert!(seen.contains(too_long) && copied(screen).is_none(), "{seen}");
            // What is not told is counted: 300,003 bytes, of which 200,000 at most are told, and no character is cut.
            let seen = screen.keys("jvG").text();
            let left = if settings.lang == Lang::En { "100,005 B more" } else { "还有 100,005 字节" };
            assert!(seen.contains(left), "{seen}");
            screen.keys("qjv");
            let seen = joined(&read(screen));
            assert!(seen.contains("\"{{line5}}\""), "{seen}");
            let more = if settings.lang == Lang::En { "elementsmore,whichlopens" } else { "按l展开" };
            assert!(seen.contains(more), "{seen}");
        });
    });
}

#[test]
fn arrays_in_arrays_are_told_to_their_ends() {
    let inner: Vec<String> = (0..40).map(|n| format!("element {n}")).collect();
    let bytes =
        Builder::new().kv("a.b", Value::nested([Value::strings(&inner), Value::strings(["x"])])).bytes();
    on(&bytes, (40, 8), plain(Lang::En), |screen| {
        let text = joined(&read(screen.keys("jljv")));
        assert!(text.contains("\"element39\"]"), "{text}");
        screen.keys("y");
        let quoted: Vec<String> = inner.iter().map(|text| format!("\"{text}\"")).collect();
        assert_eq!(copied(screen).unwrap(), format!("[{}]", quoted.join(", ")));
    });
}

#[test]
fn a_head_that_breaks_off_is_seen_in_every_pane() {
    let (bytes, end) = broken();
    everywhere(|size, settings| {
        on(&bytes, size, settings, |screen| {
            let (banner, unread) = match settings.lang {
                Lang::En => (format!("! the head was read up to {end:#x}"), "not read; ! tells why"),
                Lang::Zh => (format!("! 头部只读到 {end:#x}"), "没有读到；按 ! 查看原因"),
            };
            for pane in ["1", "2", "3", "4"] {
                let text = screen.keys(pane).text();
                assert!(joined(&text).contains(&joined(&banner)), "{size:?} {pane}\n{text}");
                assert_eq!(joined(&text).contains(&joined(unread)), pane == "2", "{size:?} {pane}\n{text}");
            }
            let counts = match settings.lang {
                Lang::En => "3 of 4 keys, 0 of 2 tensors",
                Lang::Zh => "键 3/4，张量 0/2",
            };
            let text = joined(&read(screen.keys("1!")));
            assert!(text.contains(&joined(counts)), "{size:?}\n{text}");
            let what = if settings.lang == Lang::En { "fetch it again" } else { "重新下载" };
            assert!(text.contains(&joined(what)), "{size:?}\n{text}");
            // What is not found may be where nobody looked.
            let text = screen.keys("q:nowhere\n").text();
            let found = if settings.lang == Lang::En {
                "not found in what was"
            } else {
                "读到的内容中没有找到"
            };
            assert!(joined(&text).contains(&joined(found)), "{size:?}\n{text}");
        });
    });
    on(&model().bytes(), (80, 24), plain(Lang::En), |screen| {
        for pane in ["1", "2", "3", "4"] {
            let text = screen.keys(pane).text();
            assert!(!text.contains('!'), "{text}");
        }
    });
}

#[test]
fn a_shard_that_is_missing_is_seen_in_every_pane() {
    let shard = |no: u16| {
        Builder::new().kv("split.no", no).kv("split.count", 3_u16).tensor(Tensor::f32("x", &[4])).bytes()
    };
    let (one, three) = (shard(0), shard(2));
    let files = [("m-00001-of-00003.gguf", one.as_slice()), ("m-00003-of-00003.gguf", three.as_slice())];
    let set = ShardSet::discover("nowhere/m-00001-of-00003.gguf".as_ref()).unwrap();
    let problems = [ShardProblem::Missing { no: 2, count: 3, path: "m-00002-of-00003.gguf".into() }];
    everywhere(|size, settings| {
        on_set(&files, (Some(&set), &problems), size, settings, |screen| {
            let (banner, of) = match settings.lang {
                Lang::En => ("! shard 2 of 3 is missing", ["1/3 (1 missing)", "3/3 (1 missing)"]),
                Lang::Zh => ("! 缺少第 2 个分片", ["1/3（缺 1 个）", "3/3（缺 1 个）"]),
            };
            for pane in ["1", "2", "3", "4"] {
                let text = screen.keys(pane).text();
                assert!(joined(&text).contains(&joined(banner)), "{size:?} {pane}\n{text}");
                assert!(size.0 < 60 || joined(&text).contains(&joined(of[0])), "{size:?} {pane}\n{text}");
            }
            let text = screen.keys("]").text();
            assert!(size.0 < 60 || joined(&text).contains(&joined(of[1])), "{size:?}\n{text}");
        });
    });
    // Of one whose name says nothing, its keys do.
    on_files(&[("part.gguf", &three)], (80, 24), plain(Lang::En), |screen| {
        let text = screen.text();
        assert!(text.contains("! 1 of the 3 shards of this model are here"), "{text}");
        assert!(text.contains("3/3 (2 missing)"), "{text}");
    });
}

#[test]
fn a_tensor_whose_bytes_are_not_all_there_says_so() {
    let built = model().build();
    let cut = usize::try_from(built.span("tensors[1].data").start + 10).unwrap();
    on(&built.bytes()[..cut], (80, 24), plain(Lang::En), |screen| {
        let text = screen.keys("2j").text();
        // 16 floats, of which 10 bytes are there.
        assert!(text.contains("54 B of it are missing"), "{text}");
        assert!(!screen.keys("k").text().contains("missing"), "{}", screen.text());
    });
}

#[test]
fn numbers_of_a_byte_are_not_broken() {
    let bytes = Builder::new().kv("general.name", "\u{7f7f}\u{7f7f}\u{7f7f}\u{7f7f}").bytes();
    on(&bytes, (80, 24), plain(Lang::En), |screen| {
        let text = screen.keys(":8\n").text();
        for line in text.lines() {
            assert!(!line.ends_with("u64") && !line.ends_with("f32"), "{text}");
        }
        // The number of tensors, and the number of keys behind it.
        assert!(text.contains("u64 0"), "{text}");
    });
}

#[test]
fn the_wheel_and_clicks_mean_what_they_are_over() {
    let text = format!("first {} last", "word ".repeat(400));
    let bytes = Builder::new().kv("general.a", text.as_str()).kv("general.b", 1_u8).bytes();
    on(&bytes, (80, 24), plain(Lang::En), |screen| {
        screen.keys("j");
        let row = |screen: &mut Screen<'_>| screen.selected().split(' ').next().unwrap().to_owned();
        assert_eq!(row(screen), "general.a");
        screen.explorer.act(Action::Wheel { by: 3, column: 5, row: 20 });
        assert_eq!(row(screen), "general.a");
        assert!(screen.text().contains("▲▼"), "{}", screen.text());
        screen.explorer.act(Action::Wheel { by: 3, column: 5, row: 2 });
        assert_eq!(row(screen), "general.b");
        screen.keys("k").explorer.act(Action::Click { column: 5, row: 20 });
        assert!(screen.text().contains("q closes"), "{}", screen.text());
        screen.explorer.act(Action::Wheel { by: 1000, column: 5, row: 2 });
        assert!(screen.text().contains("last\""), "{}", screen.text());
        screen.explorer.act(Action::Click { column: 5, row: 5 });
        assert!(!screen.text().contains("q closes"), "{}", screen.text());
        // A window goes when something else is wanted, and Ctrl-C leaves whatever stands there.
        assert_eq!(screen.keys("v3").explorer.pane(), Pane::Bytes);
        assert!(!screen.text().contains("q closes"), "{}", screen.text());
        let leave = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        screen.keys("?").explorer.act(of_key(leave, false).unwrap());
        assert!(screen.explorer.is_done());
    });
    let (bytes, _) = broken();
    on(&bytes, (80, 24), plain(Lang::En), |screen| {
        screen.draw().explorer.act(Action::Click { column: 5, row: 1 });
        assert!(screen.text().contains("unexpected end of file"), "{}", screen.text());
        screen.explorer.act(Action::Click { column: 5, row: 1 });
        screen.explorer.act(Action::Click { column: 5, row: 3 });
        assert_eq!(screen.selected().split(' ').next().unwrap(), "general.architecture");
    });
}

#[test]
fn a_file_that_was_written_to_is_told_in_every_pane() {
    everywhere(|size, settings| {
        on(&model().bytes(), size, settings, |screen| {
            screen.explorer.changed("model.gguf");
            for pane in ["1", "2", "3", "4"] {
                let text = screen.keys(pane).text();
                let told = match settings.lang {
                    Lang::Zh => "model.gguf打开后被修改",
                    _ => "model.gguf was changed",
                };
                let text = joined(&text);
                assert!(text.contains(&joined(told)), "{pane}: {text}");
            }
            let text = joined(&read(screen.keys("!")));
            let help = match settings.lang {
                Lang::Zh => "请退出并重新打开",
                _ => "leave, and open it again",
            };
            assert!(text.contains(&joined(help)), "{text}");
        });
    });
}

/// Of a type without a size there is only the room that a tensor has.
#[test]
fn what_is_a_bound_is_not_told_as_a_size() {
    let tensor = Tensor::new("odd", 77_u32, &[256]).data(vec![0; 1024]);
    let bytes = Builder::new().kv("general.architecture", "llama").tensor(tensor).bytes();
    on(&bytes, (120, 24), plain(Lang::En), |screen| {
        let text = screen.keys("2").text();
        assert!(text.contains("≤1.00 KiB") && text.contains("≤32.0000"), "{text}");
    });
}
