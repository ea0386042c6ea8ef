//! The server answers its own page, and nobody else; many requests at once do not grow it without bound.

#![cfg(feature = "server")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod common;

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use common::{sample, session};
use ggufkit_viewer::server::{Server, Stop};

struct Running {
    port: u16,
    token: String,
    stop: Stop,
    thread: Option<thread::JoinHandle<()>>,
}

impl Running {
    fn begin() -> Self {
        let server = Server::bind(session(&[("a.gguf", sample())]), 0).unwrap();
        let (port, url) = (server.port(), server.url());
        let token = url.split_once("#token=").unwrap().1.to_owned();
        assert!(url.starts_with(&format!("http://127.0.0.1:{port}/#")));
        let stop = Stop::new();
        let told = stop.clone();
        let thread = thread::spawn(move || server.run(told).unwrap());
        Self { port, token, stop, thread: Some(thread) }
    }

    /// Status and all that was sent, of a request with these lines after the first.
    fn send(&self, first: &str, lines: &[String]) -> (u16, String) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(180))).unwrap();
        let head = format!(
            "{first}\r\n{}Connection: close\r\n\r\n",
            lines.iter().map(|line| format!("{line}\r\n")).collect::<String>()
        );
        // A server that turns a request away may have closed before all of it was sent.
        let _ = stream.write_all(head.as_bytes());
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        let reply = String::from_utf8_lossy(&reply).into_owned();
        let status = reply.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        (status, reply)
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    fn token(&self) -> String {
        format!("Authorization: Bearer {}", self.token)
    }

    fn get(&self, target: &str) -> (u16, String) {
        self.send(&format!("GET {target} HTTP/1.1"), &[self.host(), self.token()])
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.tell();
        let ended = self.thread.take().map(thread::JoinHandle::join);
        if !thread::panicking() {
            ended.unwrap().unwrap();
        }
    }
}

#[test]
fn the_page_is_sent_with_what_keeps_it_to_itself() {
    let server = Running::begin();
    let (status, reply) = server.send("GET / HTTP/1.1", &[server.host()]);
    assert_eq!(status, 200);
    let head = reply.split_once("\r\n\r\n").unwrap().0.to_ascii_lowercase();
    for line in [
        "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cross-origin-resource-policy: same-origin",
        "cross-origin-opener-policy: same-origin",
        "content-type: text/html; charset=utf-8",
    ] {
        assert!(head.contains(line), "{line} is not in {head}");
    }
    assert!(!head.contains("access-control") && !head.contains("set-cookie"));
    // The page's files are not sent to who has them.
    let etag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap().to_owned();
    let (status, again) = server.send("GET / HTTP/1.1", &[server.host(), format!("If-None-Match: {etag}")]);
    assert_eq!((status, again.split_once("\r\n\r\n").unwrap().1), (304, ""));
    assert_eq!(server.send("GET /assets/app.js HTTP/1.1", &[server.host()]).0, 200);
    let (status, answer) = server.get("/api/session");
    assert_eq!(status, 200);
    assert!(answer.to_ascii_lowercase().contains("cache-control: no-store"));
    assert!(answer.ends_with("}"));
}

#[test]
fn who_does_not_know_the_secret_gets_nothing() {
    let server = Running::begin();
    let wrong = [
        String::new(),
        "Authorization: Bearer".to_owned(),
        "Authorization: Bearer x".to_owned(),
        format!("Authorization: bearer {}", server.token),
        format!("Authorization: Bearer {}x", server.token),
        format!("Authorization: Bearer {}", &server.token[1..]),
        format!("Authorization: Basic {}", server.token),
        format!("Cookie: token={}", server.token),
        format!("{}\r\n{}", server.token(), server.token()),
    ];
    for line in wrong {
        let lines: Vec<String> =
            [server.host(), line.clone()].into_iter().filter(|line| !line.is_empty()).collect();
        let (status, reply) = server.send("GET /api/session HTTP/1.1", &lines);
        assert_eq!(status, 401, "{line}");
        assert!(!reply.contains("Tiny-Llama") && !reply.contains(&server.token), "{line}");
    }
    let (status, _) =
        server.send(&format!("GET /api/session?token={} HTTP/1.1", server.token), &[server.host()]);
    assert_eq!(status, 401);
    // Another run has another.
    assert_ne!(Running::begin().token, server.token);
}

#[test]
fn other_names_and_other_sites_are_turned_away() {
    let server = Running::begin();
    let (host, port) = (server.host(), server.port);
    let status = |lines: &[&str]| {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        lines.push(server.token());
        server.send("GET /api/session HTTP/1.1", &lines).0
    };
    for line in [
        "Host: evil.example",
        "Host: 127.0.0.1",
        "Host: 127.0.0.1:1",
        "Host: 127.0.0.1.evil.example",
        "Host: [::1]",
    ] {
        assert_eq!(status(&[line]), 403, "{line}");
    }
    assert_eq!(status(&[&format!("Host: evil.example:{port}")]), 403);
    assert_eq!(status(&[]), 403);
    assert_eq!(status(&[&host, &host]), 403);
    assert_eq!(status(&[&format!("Host: localhost:{port}")]), 200);
    for line in [
        "Origin: null",
        "Origin: http://evil.example",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        assert_eq!(status(&[&host, line]), 403, "{line}");
    }
    assert_eq!(status(&[&host, &format!("Origin: https://127.0.0.1:{port}")]), 403);
    assert_eq!(
        status(&[&host, &format!("Origin: http://127.0.0.1:{port}"), "Sec-Fetch-Site: same-origin"]),
        200
    );
    // A proxy is none of this server's.
    let absolute = format!("GET http://127.0.0.1:{port}/api/session HTTP/1.1");
    assert_eq!(server.send(&absolute, &[host.clone(), server.token()]).0, 403);
}

#[test]
fn only_known_paths_and_only_get() {
    let server = Running::begin();
    for path in [
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/%2e%2e/Cargo.toml",
        "//",
        "//assets/app.js",
        "/assets/",
        "/assets/../app.js",
        "/assets/%61pp.js",
        "/assets/app.js/",
        "/index.html",
        "/api/",
        "/api/../session",
        "/api/%73ession",
        "/api/session/",
        "/etc/passwd",
        "/favicon.ico",
    ] {
        assert_eq!(server.get(path).0, 404, "{path}");
    }
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "PROPFIND"] {
        let (status, reply) =
            server.send(&format!("{method} /api/session HTTP/1.1"), &[server.host(), server.token()]);
        assert_eq!(status, 405, "{method}");
        assert!(reply.to_ascii_lowercase().contains("allow: get"));
    }
    let body = [server.host(), server.token(), "Content-Length: 5".to_owned()];
    assert_eq!(server.send("GET /api/session HTTP/1.1", &body).0, 413);
    assert_eq!(server.get("/api/bytes?file=0&start=0&length=65537").0, 413);
    assert_eq!(server.get("/api/bytes?file=0&start=0&length=16").0, 200);
    assert_eq!(server.get("/api/bytes?file=/etc/passwd&start=0&length=16").0, 400);
    // Heads are bounded.
    let long = format!("/api/session?x={}", "y".repeat(61 << 10));
    assert_eq!(server.get(&long).0, 414);
    let many: Vec<String> = (0..200).map(|n| format!("X-{n}: y")).collect();
    let status = server.send("GET / HTTP/1.1", &[vec![server.host()], many].concat()).0;
    assert!(matches!(status, 431 | 400 | 0), "{status}");
    let parts = format!("/api/session?{}", "a=b&".repeat(17));
    assert_eq!(server.get(&parts).0, 400);
}

/// Kilobytes of memory of this process.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[test]
fn a_thousand_requests_at_once_are_answered_or_refused_and_memory_is_bounded() {
    let server = Running::begin();
    assert_eq!(server.get("/api/metadata?model=0&lang=en&from=0").0, 200);
    let before = resident();
    let (answered, busy) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for n in 0..1000 {
            let (server, answered, busy) = (&server, &answered, &busy);
            let work = move || {
                let target = match n % 3 {
                    0 => "/api/metadata?model=0&lang=en&from=0",
                    1 => "/api/bytes?file=0&start=100000&length=4096&lang=en",
                    _ => "/api/check?model=0",
                };
                match server.get(target).0 {
                    200 => answered.fetch_add(1, Ordering::Relaxed),
                    503 => busy.fetch_add(1, Ordering::Relaxed),
                    other => panic!("{target}: {other}"),
                };
            };
            thread::Builder::new().stack_size(128 << 10).spawn_scoped(scope, work).unwrap();
        }
    });
    let (answered, busy) = (answered.into_inner(), busy.into_inner());
    assert_eq!(answered + busy, 1000);
    assert!(answered >= 100, "{answered} answered, {busy} refused");
    if let (Some(before), Some(after)) = (before, resident()) {
        assert!(after.saturating_sub(before) < 300 << 10, "{before} KiB before, {after} KiB after");
    }
    // And it answers as before.
    assert_eq!(server.get("/api/session").0, 200);
}

/// Who connects and says nothing takes nobody's place.
#[test]
fn silent_connections_do_not_keep_others_out() {
    let server = Running::begin();
    let silent: Vec<TcpStream> =
        (0..100).map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap()).collect();
    let began = Instant::now();
    assert_eq!(server.get("/api/session").0, 200);
    assert!(began.elapsed() < Duration::from_secs(10));
    drop(silent);
}
