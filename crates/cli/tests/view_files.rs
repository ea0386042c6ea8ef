//! `gguf view` as a process: it answers who has the address, and ends when it is told to; `gguf report` writes whole files.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]
#![cfg(feature = "view")]

mod common;

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ggufkit_testkit::{Builder, Tensor};

use common::{folder, gguf, names, text};

fn model() -> Vec<u8> {
    Builder::new()
        .kv("general.architecture", "llama")
        .kv("tokenizer.chat_template", "{{ messages[0].content }}{% if add_generation_prompt %}!{% endif %}")
        .tensor(Tensor::f32("a", &[4]))
        .bytes()
}

/// The program with its address: port and secret.
fn begin(path: &std::path::Path) -> (Child, u16, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gguf"))
        .args(["view", "--no-open"])
        .arg(path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let rest = line.trim().strip_prefix("http://127.0.0.1:").unwrap();
    let (port, token) = rest.split_once("/#token=").unwrap();
    (child, port.parse().unwrap(), token.to_owned())
}

fn ask(port: u16, token: &str, target: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!(
        "GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    reply
}

#[test]
fn the_page_is_answered_until_it_is_ended() {
    let folder = folder("view");
    let path = folder.join("m.gguf");
    fs::write(&path, model()).unwrap();
    let (mut child, port, token) = begin(&path);
    assert!(ask(port, &token, "/").contains("200 OK"));
    let session = ask(port, &token, "/api/session");
    assert!(session.contains("\"name\":\"m.gguf\"") && session.contains("\"render\":true"), "{session}");
    // Templates are rendered, in a process of their own.
    let messages = "%5B%7B%22role%22%3A%22user%22%2C%22content%22%3A%22hi%22%7D%5D";
    let target = format!("/api/render?model=0&template=default&generate=1&messages={messages}");
    assert!(ask(port, &token, &target).ends_with("{\"text\":\"hi!\",\"error\":null}"));
    // What is read of a file that was written to meanwhile is of no one state of it.
    fs::write(&path, [model(), vec![0; 32]].concat()).unwrap();
    assert!(ask(port, &token, "/api/stats?file=0&tensor=0").contains("changed since"));
    #[cfg(unix)]
    {
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            assert!(began.elapsed() < Duration::from_secs(30), "it goes on");
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(child.wait().unwrap().success());
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn a_report_is_whole_and_replaces_nothing_by_itself() {
    let folder = folder("report");
    fs::write(folder.join("m.gguf"), model()).unwrap();
    let status = |args: &[&str]| gguf(&folder, args).status.code();
    assert_eq!(status(&["report", "m.gguf", "-o", "m.html", "--stats"]), Some(0));
    let report = fs::read(folder.join("m.html")).unwrap();
    assert!(report.starts_with(b"<!doctype html>"));
    fs::write(folder.join("m.html"), "mine").unwrap();
    assert_eq!(status(&["report", "m.gguf", "-o", "m.html"]), Some(2));
    assert_eq!(fs::read(folder.join("m.html")).unwrap(), b"mine");
    assert_eq!(status(&["report", "m.gguf", "-o", "m.html", "--force"]), Some(0));
    assert_ne!(fs::read(folder.join("m.html")).unwrap(), b"mine");
    // Never what is read, whatever is forced; nothing is left of what fails.
    assert_eq!(status(&["report", "m.gguf", "-o", "./m.gguf", "--force"]), Some(2));
    assert_eq!(fs::read(folder.join("m.gguf")).unwrap(), model());
    assert_eq!(status(&["report", "absent.gguf", "-o", "a.html"]), Some(2));
    assert_eq!(names(&folder), ["m.gguf", "m.html"]);
    let picture = gguf(&folder, &["report", "m.gguf", "--format", "svg", "-o", "-"]);
    assert!(text(&picture.stdout).starts_with("<svg "));
    // What cannot be in it is not left out in silence.
    let refused = gguf(&folder, &["report", "m.gguf", "--format", "svg", "--stats", "-o", "s.svg"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--stats"));
    assert!(!folder.join("s.svg").exists());
}

#[test]
fn what_could_not_be_read_is_told_by_the_status_and_a_report_names_no_folder() {
    let folder = folder("view-partly");
    fs::create_dir(folder.join("secretplace")).unwrap();
    let shard = |no: u16| {
        let file =
            Builder::new().kv("split.no", no).kv("split.count", 2_u16).kv("split.tensors.count", 2_i32);
        file.tensor(Tensor::f32(format!("a{no}"), &[4])).bytes()
    };
    fs::write(folder.join("secretplace/m-00001-of-00002.gguf"), shard(0)).unwrap();
    let first = folder.join("secretplace/m-00001-of-00002.gguf");
    let made = gguf(&folder, &["report", first.to_str().unwrap(), "-o", "set.html"]);
    let html = fs::read_to_string(folder.join("set.html")).unwrap();
    assert!(html.contains("shard 2 of 2 is missing: m-00002-of-00002.gguf"), "{}", text(&made.stderr));
    assert!(!html.contains("secretplace"));
    let note = "note: not all is here: shard 2 of 2 is missing: m-00002-of-00002.gguf";
    assert!(text(&made.stderr).contains(note), "{}", text(&made.stderr));
    let drawn = gguf(&folder, &["report", first.to_str().unwrap(), "--format", "svg", "-o", "-"]);
    assert_eq!((drawn.status.code(), text(&drawn.stderr).contains(note)), (Some(0), true));
    assert!(text(&drawn.stdout).contains("shard 2 of 2 is missing"), "{}", text(&drawn.stdout));
    fs::write(folder.join("m.gguf"), model()).unwrap();
    let made = gguf(&folder, &["report", "nowhere.gguf", "m.gguf", "-o", "m.html"]);
    assert_eq!(made.status.code(), Some(2), "{}", text(&made.stderr));
    assert!(folder.join("m.html").is_file());
}
