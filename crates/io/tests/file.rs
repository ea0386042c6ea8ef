//! Files: positions, lengths, and things that are no files.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::fs;
use std::io;

use ggufkit_format::ReadAt as _;
use ggufkit_io::{DynSource, FileSource};

#[test]
fn a_file_is_read_by_position_from_many_threads() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.gguf");
    let bytes: Vec<u8> = (0..=255).collect();
    fs::write(&path, &bytes).unwrap();
    let source = FileSource::open(&path).unwrap();
    assert_eq!((source.path(), source.size(), source.is_seekable()), (path.as_path(), Some(256), true));
    std::thread::scope(|scope| {
        for start in [0_u64, 100, 200, 250] {
            let source: &DynSource = &source;
            scope.spawn(move || {
                let mut buf = [0; 20];
                for _ in 0..100 {
                    let n = source.read_at(&mut buf, start).unwrap();
                    assert_eq!(buf[..n], (start..256).take(20).map(|b| b as u8).collect::<Vec<_>>());
                }
            });
        }
    });
    let mut buf = [0; 4];
    assert_eq!(source.read_at(&mut buf, 256).unwrap(), 0);
    assert_eq!(source.read_at(&mut buf, 1 << 40).unwrap(), 0);
}

#[test]
fn a_directory_is_refused_as_one() {
    let dir = tempfile::tempdir().unwrap();
    let error = FileSource::open(dir.path()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    let error = FileSource::open(dir.path().join("none")).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use ggufkit_format::Options;
    use ggufkit_io::{HeadBuffer, diagnose};
    use std::process::{Command, Stdio};

    #[test]
    fn a_character_device_is_read_in_order_only() {
        let source = FileSource::open("/dev/zero").unwrap();
        assert_eq!((source.size(), source.is_seekable()), (None, false));
        let mut buf = [1; 4];
        assert_eq!(source.read_at(&mut buf, 0).unwrap(), 4);
        assert_eq!(source.read_at(&mut buf, 100).unwrap(), 4);
        assert_eq!(source.read_at(&mut buf, 4).unwrap_err().kind(), io::ErrorKind::NotSeekable);
        assert_eq!(FileSource::open("/dev/null").unwrap().read_at(&mut buf, 7).unwrap(), 0);
    }

    #[test]
    fn what_the_system_makes_up_is_not_empty() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("empty"), b"").unwrap();
        assert_eq!(FileSource::open(dir.path().join("empty")).unwrap().size(), Some(0));
        // Its length is given as 0, and there is text in it.
        let Ok(metadata) = fs::metadata("/proc/self/status") else { return };
        assert_eq!(metadata.len(), 0);
        let source = FileSource::open("/proc/self/status").unwrap();
        assert_eq!((source.size(), source.is_seekable()), (None, false));
        let mut buffer = HeadBuffer::new();
        let outcome = buffer.read(&source, Options::new()).unwrap();
        let diagnosis = diagnose(&source, Options::new(), &outcome, buffer.bytes()).unwrap();
        assert_eq!(diagnosis.identity.unwrap().name(), "text");
    }

    #[test]
    fn a_named_pipe_is_read_as_a_stream() {
        let dir = tempfile::tempdir().unwrap();
        let (pipe, model) = (dir.path().join("pipe"), dir.path().join("model.gguf"));
        let made = Command::new("mkfifo").arg(&pipe).stderr(Stdio::null()).status();
        if !made.is_ok_and(|status| status.success()) {
            return; // No mkfifo here.
        }
        let document = ggufkit_testkit::Builder::new().kv("long", "x".repeat(200_000)).kv("a", 1_u8);
        fs::write(&model, document.bytes()).unwrap();
        let writer = std::thread::spawn(move || fs::write(&pipe, fs::read(&model).unwrap()));
        let source = FileSource::open(dir.path().join("pipe")).unwrap();
        assert!(!source.is_seekable());
        let mut buffer = HeadBuffer::new();
        let outcome = buffer.read(&source, Options::new()).unwrap();
        let diagnosis = diagnose(&source, Options::new(), &outcome, buffer.bytes()).unwrap();
        assert!(diagnosis.is_empty());
        assert_eq!(outcome.into_result().unwrap().kvs().len(), 2);
        writer.join().unwrap().unwrap();
    }
}

#[cfg(feature = "map")]
#[test]
#[allow(unsafe_code, reason = "the contract of maps: nobody else knows this file")]
fn a_map_is_a_source_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.gguf");
    fs::write(&path, b"GGUF and so on").unwrap();
    // SAFETY: the file is in a directory of this test's own, and nothing changes it.
    let map = unsafe { ggufkit_io::MapSource::open(&path).unwrap() };
    let mut buf = [0; 6];
    assert_eq!(
        (map.bytes(), map.size(), map.read_at(&mut buf, 9).unwrap()),
        (&b"GGUF and so on"[..], Some(14), 5)
    );
    assert_eq!(&buf[..5], b"so on");
    for beyond in [14, 15, 1 << 20, u64::MAX] {
        assert_eq!(map.read_at(&mut buf, beyond).unwrap(), 0, "nothing is read from {beyond} on");
    }
    // Maps end at pages; files do not.
    for size in [0, 1, 4095, 4096, 4097] {
        let path = dir.path().join("size");
        fs::write(&path, vec![7; size]).unwrap();
        // SAFETY: as above.
        let map = unsafe { ggufkit_io::MapSource::open(&path).unwrap() };
        assert_eq!(map.bytes(), vec![7; size]);
        let mut all = vec![0; size + 1];
        assert_eq!(map.read_at(&mut all, 0).unwrap(), size);
    }
    // SAFETY: a directory is refused.
    let error = unsafe { ggufkit_io::MapSource::open(dir.path()) }.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
}

#[test]
fn a_file_is_known_under_every_name() {
    let dir = tempfile::tempdir().unwrap();
    let (path, other) = (dir.path().join("a.gguf"), dir.path().join("b.gguf"));
    fs::write(&path, b"same bytes").unwrap();
    fs::write(&other, b"same bytes").unwrap();
    let source = FileSource::open(&path).unwrap();
    assert!(source.is_at(&path).unwrap());
    assert!(source.is_at(&dir.path().join(".").join("a.gguf")).unwrap());
    assert!(!source.is_at(&other).unwrap(), "equal bytes are not the same file");
    assert!(!source.is_at(&dir.path().join("nothing")).unwrap());
    #[cfg(unix)]
    {
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("a.gguf", &link).unwrap();
        assert!(source.is_at(&link).unwrap());
        fs::hard_link(&path, dir.path().join("hard")).unwrap();
        assert!(source.is_at(&dir.path().join("hard")).unwrap());
    }
}
