//! Carrying out plans: what is written is the plan's file, and whatever goes wrong, nothing is lost and nothing is left.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use ggufkit_format::{Piece, Plan, PlanError, Span};
use ggufkit_io::FileSource;
use ggufkit_io::sink::{PartFile, Progress, SinkError, Stage, save, unwatched, write_plan};
use ggufkit_testkit::sources::{Failing, Memory, Short, Shrinking};

/// A source of 3 MB whose bytes tell their place, so that both ways of copying are taken.
fn bytes() -> Vec<u8> {
    (0..3_000_000_u32).map(|n| (n % 251) as u8).collect()
}

fn plan() -> Plan {
    let mut plan = Plan::new();
    plan.literal(b"head").unwrap();
    plan.copy(Span::new(1_000_000, 1_999_999)).unwrap();
    plan.zeros(100).unwrap();
    plan.copy(Span::new(3, 7)).unwrap();
    plan.literal(b"tail").unwrap();
    plan.copy(Span::new(100, 70_000)).unwrap();
    plan
}

fn folder() -> (tempfile::TempDir, FileSource) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("source");
    fs::write(&path, bytes()).unwrap();
    let source = FileSource::open(path).unwrap();
    (folder, source)
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn the_file_is_the_plans() {
    let (folder, source) = folder();
    let target = folder.path().join("target");
    let mut seen = Vec::new();
    save(&plan(), &source, &target, false, &mut |progress| {
        seen.push(progress);
        Ok(())
    })
    .unwrap();
    let expected = plan().render(&bytes()).unwrap();
    assert_eq!(fs::read(&target).unwrap(), expected);
    assert_eq!(names(folder.path()), ["source", "target"]);
    assert!(seen.is_sorted_by_key(|progress| progress.done));
    assert!(seen.iter().all(|progress| progress.total == expected.len() as u64));
    let stages = [seen.first(), seen.last()].map(|progress| progress.unwrap().stage);
    assert_eq!(stages, [Stage::Create, Stage::SyncFolder]);
    assert_eq!(seen.last().unwrap().done, expected.len() as u64);
    // To any writer, from any source.
    let mut out = Vec::new();
    write_plan(&plan(), &Short::new(Memory::new(bytes()), 1000), &mut out, &mut unwatched).unwrap();
    assert_eq!(out, expected);
}

#[test]
fn what_is_there_is_replaced_only_when_told() {
    let (folder, source) = folder();
    let target = folder.path().join("target");
    fs::write(&target, b"old").unwrap();
    let error = save(&plan(), &source, &target, false, &mut unwatched).unwrap_err();
    assert!(matches!(error, SinkError::Exists(_)), "{error}");
    assert_eq!(fs::read(&target).unwrap(), b"old");
    save(&plan(), &source, &target, true, &mut unwatched).unwrap();
    assert_eq!(fs::metadata(&target).unwrap().len(), plan().len());
    // A folder is not a file to replace.
    fs::create_dir(folder.path().join("folder")).unwrap();
    assert!(save(&plan(), &source, folder.path().join("folder"), true, &mut unwatched).is_err());
    assert_eq!(names(folder.path()), ["folder", "source", "target"]);
}

/// A file that appears while the part is written is not replaced either.
#[test]
fn what_appears_meanwhile_stays() {
    let (folder, source) = folder();
    let target = folder.path().join("target");
    let error = save(&plan(), &source, &target, false, &mut |progress| {
        if progress.stage == Stage::Place { fs::write(&target, b"another's") } else { Ok(()) }
    });
    assert!(matches!(error, Err(SinkError::Exists(_))), "{error:?}");
    assert_eq!(fs::read(&target).unwrap(), b"another's");
    assert_eq!(names(folder.path()), ["source", "target"]);
}

#[test]
fn the_source_is_never_the_target() {
    let (folder, source) = folder();
    let mut names = vec![folder.path().join("source"), folder.path().join("./source")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("source", folder.path().join("link")).unwrap();
        fs::hard_link(folder.path().join("source"), folder.path().join("hard")).unwrap();
        names.extend(["link", "hard"].map(|name| folder.path().join(name)));
    }
    for name in names.drain(..) {
        let error = save(&plan(), &source, &name, true, &mut unwatched).unwrap_err();
        assert!(matches!(error, SinkError::IsSource(_)), "{}: {error}", name.display());
        assert_eq!(fs::read(&name).unwrap(), bytes());
    }
}

/// The work is stopped before each of its steps in turn: the target is as it was, and no part file is left.
#[test]
fn stopped_at_any_step_nothing_is_there() {
    let (folder, source) = folder();
    let target = folder.path().join("target");
    for old in [None, Some(&b"old"[..])] {
        let mut step = 0;
        let last = loop {
            if let Some(old) = old {
                fs::write(&target, old).unwrap();
            }
            let (mut at, mut stage) = (0, Stage::Create);
            let result = save(&plan(), &source, &target, old.is_some(), &mut |progress: Progress| {
                at += 1;
                stage = progress.stage;
                if at > step { Err(io::Error::other("stopped")) } else { Ok(()) }
            });
            match result {
                // The file is in its place and whole by then.
                Err(SinkError::NotDurable { .. }) => {
                    assert_eq!(
                        (stage, fs::read(&target).unwrap().len() as u64),
                        (Stage::SyncFolder, plan().len())
                    );
                    fs::remove_file(&target).unwrap();
                }
                Err(SinkError::Stopped(_)) => {
                    assert_eq!(fs::read(&target).ok().as_deref(), old, "stopped at {stage:?}");
                    let left: &[&str] = if old.is_some() { &["source", "target"] } else { &["source"] };
                    assert_eq!(names(folder.path()), left, "stopped at {stage:?}");
                }
                Err(other) => panic!("{other}"),
                Ok(()) => break step,
            }
            step += 1;
        };
        assert!(last >= 6, "{last} steps");
        fs::remove_file(&target).unwrap();
    }
}

/// Very many small pieces: in order, backwards, and with bytes between them; however the reads are put together.
#[test]
fn small_pieces() {
    let (folder, source) = folder();
    let spans: Vec<Span> = (0..3000).map(|n| Span::new(n * 700, n % 60)).collect();
    let near: Vec<Span> = (0..3000).map(|n| Span::new(n * 50, n % 50)).collect();
    let backwards = near.iter().rev().copied().collect();
    for (number, spans) in [spans, near, backwards].into_iter().enumerate() {
        let mut plan = Plan::new();
        for span in spans {
            plan.literal(b"-").unwrap();
            plan.copy(span).unwrap();
        }
        let target = folder.path().join(number.to_string());
        save(&plan, &source, &target, false, &mut unwatched).unwrap();
        let expected = plan.render(&bytes()).unwrap();
        assert_eq!(fs::read(&target).unwrap(), expected);
        let mut out = Vec::new();
        write_plan(&plan, &Short::new(Memory::new(bytes()), 777), &mut out, &mut unwatched).unwrap();
        assert_eq!(out, expected);
        // A read ahead that fails where nothing is needed is no error.
        let end = plan
            .pieces()
            .iter()
            .map(|piece| if let Piece::Copy(span) = piece { span.end() } else { 0 })
            .max();
        let source = Failing::beyond(Memory::new(bytes()), end.unwrap());
        out.clear();
        write_plan(&plan, &source, &mut out, &mut unwatched).unwrap();
        assert_eq!(out, expected);
    }
}

/// A source that fails or ends at any of its reads ends the writing with its own error.
#[test]
fn sources_that_fail() {
    let mut failures = 0;
    for call in 0..8 {
        let source = Failing::at_call(Memory::new(bytes()), call);
        match write_plan(&plan(), &source, &mut io::sink(), &mut unwatched) {
            Err(SinkError::Read { .. }) => failures += 1,
            Err(other) => panic!("{other}"),
            // There are not so many reads, or it was one ahead of what was needed.
            Ok(()) => {}
        }
    }
    assert_eq!(failures, 3, "one for each megabyte of a copy");
    for call in 0..3 {
        let source = Shrinking::new(Memory::new(bytes()), call, 50);
        let error = write_plan(&plan(), &source, &mut io::sink(), &mut unwatched);
        assert!(matches!(error, Err(SinkError::Ended { .. })), "call {call}: {error:?}");
    }
}

/// A file that shrank after it was opened: nothing is at the target.
#[test]
fn files_that_shrink() {
    let (folder, source) = folder();
    fs::OpenOptions::new().write(true).open(source.path()).unwrap().set_len(1_500_000).unwrap();
    let error = save(&plan(), &source, folder.path().join("target"), false, &mut unwatched).unwrap_err();
    assert!(matches!(error, SinkError::Ended { read: 500_000, .. }), "{error:?}");
    assert_eq!(names(folder.path()), ["source"]);
}

/// A writer that takes so many bytes and fails then: a disk that is full.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.0);
        self.0 -= n;
        if n == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(n) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn writers_that_fail_at_any_byte() {
    let source = Memory::new(bytes());
    let len = usize::try_from(plan().len()).unwrap();
    for room in (0..len).step_by(97_003).chain([len - 1]) {
        let error = write_plan(&plan(), &source, &mut Full(room), &mut unwatched).unwrap_err();
        assert!(matches!(error, SinkError::Write { .. }), "{room}: {error}");
    }
    write_plan(&plan(), &source, &mut Full(len), &mut unwatched).unwrap();
}

#[test]
fn plans_that_the_source_does_not_back_write_nothing() {
    let (folder, source) = folder();
    let mut plan = Plan::new();
    plan.copy(Span::new(2_999_999, 2)).unwrap();
    let error = save(&plan, &source, folder.path().join("target"), false, &mut unwatched).unwrap_err();
    assert!(matches!(error, SinkError::Plan(PlanError::OutOfSource { .. })), "{error}");
    let nowhere = folder.path().join("no/such/folder/target");
    let error = save(&Plan::new(), &source, nowhere, false, &mut unwatched).unwrap_err();
    assert!(matches!(error, SinkError::Write { doing: "create", .. }), "{error}");
    assert_eq!(names(folder.path()), ["source"]);
}

#[test]
fn parts_that_are_dropped_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("n".repeat(255));
    {
        let part = PartFile::create(&target).unwrap();
        part.file().write_all(b"x").unwrap();
        // On Linux it has no name at all, where the file system can do without.
        let names = names(folder.path());
        let hidden = |name: &String| name.starts_with(".n") && name.ends_with(".part");
        assert!(names.len() <= 1 && names.iter().all(hidden), "{names:?}");
    }
    assert!(names(folder.path()).is_empty());
    PartFile::create(&target).unwrap().commit(false).unwrap();
    assert_eq!(names(folder.path()), ["n".repeat(255)]);
    let again = PartFile::create(&target).unwrap().commit(false).unwrap_err();
    assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
    PartFile::create(&target).unwrap().commit(true).unwrap();
    assert_eq!(names(folder.path()), ["n".repeat(255)]);
    assert_eq!(PartFile::create("/").unwrap_err().kind(), io::ErrorKind::InvalidInput);
}

#[cfg(unix)]
#[test]
fn permissions_are_the_sources() {
    use std::os::unix::fs::PermissionsExt as _;
    let (folder, source) = folder();
    for mode in [0o600, 0o444, 0o4755] {
        fs::set_permissions(source.path(), fs::Permissions::from_mode(mode)).unwrap();
        let target = folder.path().join(format!("{mode:o}"));
        save(&plan(), &source, &target, false, &mut unwatched).unwrap();
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o7777, mode & 0o777);
    }
    // Another program may link or rename it, but a device is not replaced.
    let error = save(&plan(), &source, "/dev/null", true, &mut unwatched).unwrap_err();
    assert!(matches!(error, SinkError::Write { .. }), "{error}");
}

/// A file whose data is moved while it is copied gives no file, and one that is only replaced under its name is read on.
#[test]
fn what_is_copied_is_of_one_state_of_each_source() {
    let (folder, source) = folder();
    let other = folder.path().join("other");
    fs::write(&other, bytes()).unwrap();
    let other = FileSource::open(other).unwrap();
    let joined = ggufkit_io::Joined::new([&other, &source]).unwrap();
    let target = folder.path().join("target");
    let mut plan = Plan::new();
    plan.copy(Span::new(0, 6_000_000)).unwrap();
    let error = save(&plan, &joined, &target, false, &mut |progress| {
        if progress.stage == Stage::Sync {
            let mut shifted = b"moved".to_vec();
            shifted.extend_from_slice(&bytes());
            fs::write(source.path(), shifted)
        } else {
            Ok(())
        }
    });
    assert!(matches!(&error, Err(SinkError::SourceChanged(path)) if path == source.path()), "{error:?}");
    assert_eq!(names(folder.path()), ["other", "source"]);
    let source = FileSource::open(source.path()).unwrap();
    assert!(!source.is_changed().unwrap());
    save(&self::plan(), &source, &target, false, &mut |progress| {
        if progress.stage == Stage::Sync {
            fs::write(folder.path().join("new"), b"another's")?;
            fs::rename(folder.path().join("new"), source.path())
        } else {
            Ok(())
        }
    })
    .unwrap();
}
