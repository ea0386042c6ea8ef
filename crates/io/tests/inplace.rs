//! Changes in place: complete or not there, whatever fails and whenever.
//!
//! The steps are those that `Step` names. At each of them the change fails, or the process is killed, or the power goes and
//! some of what was not synced with it; afterwards the file is the old one or the new one, byte for byte.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ggufkit_format::{InPlace, Plan, Shift, Span};
use ggufkit_io::FileSource;
use ggufkit_io::inplace::{self, InPlaceError, Step};

const BLOCK: u64 = 4096;
const SIZE: u64 = 40 * BLOCK + 100;

/// One test at a time: a child that another thread has begun and not yet started holds all locks of this process too.
static ALONE: Mutex<()> = Mutex::new(());

/// The folder of one test, on the file system that is to be tested.
struct Folder(PathBuf, #[expect(dead_code, reason = "is held")] MutexGuard<'static, ()>);

impl Folder {
    fn new(name: &str) -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let root = std::env::var_os("GGUFKIT_TEST_FOLDER").map_or_else(std::env::temp_dir, PathBuf::from);
        let path = root.join(format!("ggufkit-inplace-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path, alone)
    }

    fn file(&self) -> PathBuf {
        self.0.join("model.gguf")
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn old() -> Vec<u8> {
    (0..SIZE).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 13) as u8 | 1).collect()
}

/// Places to stop at that each of the tests below has at least, where blocks are not moved too: it is not to become a test
/// of nothing.
const LEAST: usize = 40;

/// What is done, by name; the last ones move bytes.
const KINDS: &[&str] = &["sector", "patches", "longer", "shorter", "insert", "remove"];

fn moves(kind: &str) -> bool {
    matches!(kind, "insert" | "remove")
}

fn plan(kind: &str) -> Plan {
    let mut plan = Plan::new();
    let new = |n: u64| vec![b'N'; n as usize];
    let rest = |plan: &mut Plan, from: u64| plan.copy(Span::between(from, SIZE)).unwrap();
    match kind {
        "sector" => {
            plan.copy(Span::new(0, 700)).unwrap();
            plan.literal(&new(4)).unwrap();
            rest(&mut plan, 704);
        }
        "patches" => {
            plan.copy(Span::new(0, 100)).unwrap();
            plan.literal(&new(3000)).unwrap();
            plan.copy(Span::between(3100, 20_000)).unwrap();
            plan.literal(&new(1)).unwrap();
            plan.copy(Span::between(20_001, 90_000)).unwrap();
            plan.zeros(5000).unwrap();
            rest(&mut plan, 95_000);
        }
        "longer" => {
            plan.literal(&new(24)).unwrap();
            rest(&mut plan, 24);
            plan.zeros(9000).unwrap();
        }
        "shorter" => {
            plan.literal(&new(24)).unwrap();
            plan.copy(Span::between(24, SIZE - 9000)).unwrap();
        }
        // A head of five and a half blocks becomes one of seven and a half.
        "insert" => {
            plan.copy(Span::new(0, 1000)).unwrap();
            plan.literal(&new(5 * BLOCK + BLOCK / 2 - 1000 + 2 * BLOCK)).unwrap();
            rest(&mut plan, 5 * BLOCK + BLOCK / 2);
        }
        // And one of two and a half, with a patch in what moves.
        "remove" => {
            plan.copy(Span::new(0, 1000)).unwrap();
            plan.literal(&new(5 * BLOCK + BLOCK / 2 - 1000 - 3 * BLOCK)).unwrap();
            plan.copy(Span::between(5 * BLOCK + BLOCK / 2, 100_000)).unwrap();
            plan.literal(&new(7)).unwrap();
            rest(&mut plan, 100_007);
        }
        other => unreachable!("{other}"),
    }
    plan
}

fn how(kind: &str) -> InPlace {
    plan(kind).in_place(SIZE, Some(BLOCK), 1 << 20).unwrap()
}

fn new(kind: &str) -> Vec<u8> {
    plan(kind).render(&old()).unwrap()
}

/// A fresh file, on the disk.
fn fresh(folder: &Folder) {
    for name in folder.names() {
        fs::remove_file(folder.0.join(name)).unwrap();
    }
    fs::write(folder.file(), old()).unwrap();
    fs::File::open(folder.file()).unwrap().sync_all().unwrap();
}

fn change(path: &Path, kind: &str, watch: &mut inplace::Watch<'_>) -> Result<(), InPlaceError> {
    let source = FileSource::open(path).unwrap();
    inplace::change(&inplace::exact(&how(kind), &source).unwrap(), &source, false, watch)
}

/// The kinds that this file system can do.
fn kinds(folder: &Folder) -> Vec<&'static str> {
    fresh(folder);
    let movable = inplace::block_size(&FileSource::open(folder.file()).unwrap()) == Some(BLOCK);
    if !movable {
        ggufkit_testkit::corpus::skip("moving blocks", "the file system moves none of this size");
    }
    KINDS.iter().copied().filter(|kind| movable || !moves(kind)).collect()
}

fn steps(folder: &Folder, kind: &str) -> usize {
    fresh(folder);
    let mut steps = 0;
    change(&folder.file(), kind, &mut |_| {
        steps += 1;
        Ok(())
    })
    .unwrap();
    steps
}

fn is(folder: &Folder, bytes: &[u8]) -> bool {
    fs::read(folder.file()).unwrap() == bytes
}

/// Recovers and asks for the old file or the new one.
fn old_or_new(folder: &Folder, kind: &str, what: &str) {
    inplace::recover(&folder.file(), &mut inplace::unwatched)
        .unwrap_or_else(|e| panic!("{kind} {what}: {e}"));
    assert!(is(folder, &old()) || is(folder, &new(kind)), "{kind}: {what}");
    assert!(!inplace::is_pending(&folder.file()).unwrap(), "{kind}: {what}");
    assert!(!inplace::recover(&folder.file(), &mut inplace::unwatched).unwrap());
}

#[test]
fn what_is_done_is_what_was_planned_and_is_taken_back() {
    let folder = Folder::new("done");
    for kind in kinds(&folder) {
        fresh(&folder);
        change(&folder.file(), kind, &mut inplace::unwatched).unwrap();
        assert!(is(&folder, &new(kind)), "{kind}");
        assert_eq!(folder.names(), [".model.gguf.ggufkit-undo", "model.gguf"], "{kind}");
        inplace::undo(&folder.file(), &mut inplace::unwatched).unwrap();
        assert!(is(&folder, &old()), "{kind}");
        assert_eq!(folder.names(), ["model.gguf"], "{kind}");
        let again = inplace::undo(&folder.file(), &mut inplace::unwatched);
        assert!(matches!(again, Err(InPlaceError::NothingToUndo(_))), "{kind}: {again:?}");
    }
}

#[test]
fn the_file_alone_is_written_and_little_of_it() {
    let folder = Folder::new("little");
    // 4 bytes; 3000 + 1 + 5000; the head between the first new byte and the seam.
    for (kind, least) in [("sector", 4), ("patches", 8001), ("insert", 7 * BLOCK + BLOCK / 2 - 1000)] {
        if !kinds(&folder).contains(&kind) {
            continue;
        }
        fresh(&folder);
        let mut written = 0;
        change(&folder.file(), kind, &mut |step| {
            if let Step::Write { bytes, .. } = step {
                written += bytes.len() as u64;
            }
            Ok(())
        })
        .unwrap();
        assert!((least..least + 2 * 512).contains(&written), "{kind}: {written}");
    }
}

#[test]
fn a_step_that_fails_leaves_the_old_file_or_the_new_one() {
    let folder = Folder::new("failing");
    for kind in kinds(&folder) {
        let steps = steps(&folder, kind);
        for at in 0..steps {
            for lasting in [false, true] {
                fresh(&folder);
                let mut step = 0;
                let result = change(&folder.file(), kind, &mut |_| {
                    step += 1;
                    if step - 1 == at || (lasting && step > at) {
                        Err(io::Error::new(io::ErrorKind::StorageFull, "full"))
                    } else {
                        Ok(())
                    }
                });
                let error = result.unwrap_err();
                let what = format!("{at} of {steps}, lasting {lasting}: {error}");
                match error {
                    InPlaceError::NotDurable { .. } => assert!(is(&folder, &new(kind)), "{kind}: {what}"),
                    InPlaceError::Interrupted { .. } => assert!(lasting, "{kind}: {what}"),
                    InPlaceError::Io { .. } => assert!(is(&folder, &old()), "{kind}: {what}"),
                    _ => panic!("{kind}: {what}"),
                }
                old_or_new(&folder, kind, &what);
            }
        }
    }
}

/// What a child does, and when it dies: the words of `GGUFKIT_TEST_CHILD`.
fn child(folder: &Folder, what: &str, kind: &str, at: usize, torn: bool) -> bool {
    let words = format!("{what} {kind} {at} {torn}");
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_child_that_dies", "--ignored", "--quiet"])
        .env("GGUFKIT_TEST_CHILD", words)
        .env("GGUFKIT_TEST_FILE", folder.file())
        .output()
        .unwrap()
        .status;
    status.success()
}

#[test]
#[ignore = "is started by the tests that kill it"]
fn a_child_that_dies() {
    let Ok(words) = std::env::var("GGUFKIT_TEST_CHILD") else { return };
    let words: Vec<_> = words.split(' ').collect();
    let (at, torn): (usize, bool) = (words[2].parse().unwrap(), words[3].parse().unwrap());
    let path = PathBuf::from(std::env::var_os("GGUFKIT_TEST_FILE").unwrap());
    let mut step = 0;
    let mut watch = |now: Step<'_>| {
        if step == at {
            match now {
                Step::Write { at, bytes } if torn => {
                    let file = OpenOptions::new().write(true).open(&path).unwrap();
                    file.write_all_at(&bytes[..bytes.len() / 2], at).unwrap();
                }
                Step::Record(bytes) if torn => {
                    let record = path.with_file_name(".model.gguf.ggufkit-journal");
                    if record.exists() {
                        fs::write(record, &bytes[..bytes.len() / 2]).unwrap();
                    }
                }
                _ => {}
            }
            std::process::abort();
        }
        step += 1;
        Ok(())
    };
    match words[0] {
        "change" => change(&path, words[1], &mut watch).unwrap(),
        "recover" => assert!(inplace::recover(&path, &mut watch).unwrap()),
        "undo" => inplace::undo(&path, &mut watch).unwrap(),
        other => unreachable!("{other}"),
    }
}

#[test]
fn a_process_that_is_killed_leaves_the_old_file_or_the_new_one() {
    let folder = Folder::new("killed");
    let mut points = 0;
    for kind in kinds(&folder) {
        let steps = steps(&folder, kind);
        for at in 0..steps {
            // A sector is written or not.
            for torn in [false, true].into_iter().filter(|torn| !torn || kind != "sector") {
                fresh(&folder);
                assert!(!child(&folder, "change", kind, at, torn));
                old_or_new(&folder, kind, &format!("killed at {at} of {steps}, torn {torn}"));
                points += 1;
            }
        }
    }
    assert!(points >= LEAST, "only {points} places to stop at");
}

#[test]
fn a_way_back_that_is_killed_is_gone_again() {
    let folder = Folder::new("back");
    let mut points = 0;
    for kind in kinds(&folder) {
        let steps = steps(&folder, kind);
        for undone in [false, true] {
            for at in 0..40 {
                fresh(&folder);
                let done = if undone {
                    change(&folder.file(), kind, &mut inplace::unwatched).unwrap();
                    child(&folder, "undo", kind, at, true)
                } else {
                    // Before the new name of the record.
                    child(&folder, "change", kind, steps - 2, false);
                    if !inplace::is_pending(&folder.file()).unwrap() {
                        break;
                    }
                    child(&folder, "recover", kind, at, true)
                };
                points += 1;
                let what = format!("way back killed at {at}, undone {undone}");
                old_or_new(&folder, kind, &what);
                if done {
                    assert!(is(&folder, &old()), "{kind}: {what}");
                    break;
                }
            }
        }
    }
    assert!(points >= LEAST, "only {points} places to stop at");
}

/// The file as it is when the power goes while its bytes are moved: some stretches have moved, and a hole is between.
#[test]
fn bytes_that_have_moved_in_part_are_moved_back() {
    let folder = Folder::new("moved");
    for kind in kinds(&folder).into_iter().filter(|kind| moves(kind)) {
        let how = how(kind);
        let (Some(Shift::Insert(span)) | Some(Shift::Remove(span))) = how.shift else { unreachable!() };
        let mut before = 0;
        fresh(&folder);
        change(&folder.file(), kind, &mut |step| {
            before += usize::from(!matches!(step, Step::Shift(_)) && before < 1000);
            if matches!(step, Step::Shift(_)) {
                before += 1000;
            }
            Ok(())
        })
        .unwrap();
        let before = before % 1000;
        let ends = SIZE.div_ceil(BLOCK) * BLOCK;
        for at in (span.start..=ends).step_by(BLOCK as usize).chain([SIZE]) {
            for again in [false, true] {
                fresh(&folder);
                child(&folder, "change", kind, before, false);
                let file = OpenOptions::new().read(true).write(true).open(folder.file()).unwrap();
                assert!(is(&folder, &old()));
                use rustix::fs::{FallocateFlags, fallocate};
                match how.shift.unwrap() {
                    Shift::Insert(_) if at >= SIZE => file.set_len(SIZE + span.len).unwrap(),
                    Shift::Insert(_) => fallocate(&file, FallocateFlags::INSERT_RANGE, at, span.len).unwrap(),
                    Shift::Remove(_) if at == ends || at + span.len > SIZE => continue,
                    Shift::Remove(_) => {
                        fallocate(&file, FallocateFlags::COLLAPSE_RANGE, span.start, span.len).unwrap();
                        match at.min(SIZE - span.len) {
                            end if end == SIZE - span.len => file.set_len(SIZE).unwrap(),
                            at => fallocate(&file, FallocateFlags::INSERT_RANGE, at, span.len).unwrap(),
                        }
                    }
                }
                file.sync_all().unwrap();
                drop(file);
                let what = format!("moved down to {at}, again {again}");
                if again {
                    // And the process that puts it right dies in the middle of that.
                    child(&folder, "recover", kind, 2, true);
                }
                old_or_new(&folder, kind, &what);
                assert!(is(&folder, &old()), "{kind}: {what}");
            }
        }
    }
}

/// Of what was written since the last sync any part may be lost with the power, in any order.
#[test]
fn power_that_goes_leaves_the_old_file_or_the_new_one() {
    let folder = Folder::new("power");
    let journal = folder.0.join(".model.gguf.ggufkit-journal");
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut points = 0;
    for kind in ["sector", "patches", "longer", "shorter"] {
        let steps = steps(&folder, kind);
        for at in 0..=steps {
            for _ in 0..8 {
                // What is on the disk: bytes of the file and of the record, and what may or may not be.
                let (mut file, mut record, mut name) = (old(), Vec::new(), false);
                let (mut loose, mut resize) = (Vec::new(), None);
                let mut step = 0;
                let mut gone = false;
                fresh(&folder);
                let _ = change(&folder.file(), kind, &mut |now| {
                    if step == at || gone {
                        gone = true;
                        return Err(io::Error::other("the power is gone"));
                    }
                    step += 1;
                    match now {
                        Step::Record(bytes) => record.extend_from_slice(bytes),
                        Step::SyncFolder => name = !name && kind != "sector",
                        Step::Write { at, bytes } => loose.push((at as usize, bytes.to_vec())),
                        Step::Resize(len) => resize = Some(len as usize),
                        Step::SyncFile => {
                            for (at, bytes) in loose.drain(..) {
                                let end = at + bytes.len();
                                file.resize(file.len().max(end), 0);
                                file[at..end].copy_from_slice(&bytes);
                            }
                            if let Some(len) = resize.take() {
                                file.resize(len, 0);
                            }
                        }
                        _ => {}
                    }
                    Ok(())
                });
                for (at, bytes) in loose {
                    // Sectors are written or not.
                    for (n, sector) in bytes.chunks(512).enumerate() {
                        if random() % 2 == 0 && (kind != "sector" || sector.len() == bytes.len()) {
                            let start = at + n * 512;
                            file.resize(file.len().max(start + sector.len()), 0);
                            file[start..start + sector.len()].copy_from_slice(sector);
                        }
                    }
                }
                if let Some(len) = resize.filter(|_| random() % 2 == 0) {
                    file.resize(len, 0);
                }
                fs::write(folder.file(), &file).unwrap();
                let _ = fs::remove_file(&journal);
                if name || (!record.is_empty() && kind != "sector" && random() % 2 == 0) {
                    // Without a sync some of the record is there, or its length and zeros.
                    let synced = step > 2;
                    let kept = if synced { record.len() } else { random() as usize % (record.len() + 1) };
                    fs::write(&journal, &record[..kept]).unwrap();
                }
                old_or_new(&folder, kind, &format!("power gone at {at} of {steps}"));
                points += 1;
            }
        }
    }
    assert!(points >= LEAST, "only {points} places to stop at");
}

#[test]
fn a_file_that_cannot_or_must_not_be_changed_is_not() {
    let folder = Folder::new("not");
    fresh(&folder);
    let path = folder.file();
    // Other names would change with it.
    fs::hard_link(&path, folder.0.join("other")).unwrap();
    let linked = change(&path, "patches", &mut inplace::unwatched);
    assert!(matches!(linked, Err(InPlaceError::Linked { names: 2, .. })), "{linked:?}");
    assert!(is(&folder, &old()));
    let source = FileSource::open(&path).unwrap();
    inplace::change(&how("patches"), &source, true, &mut inplace::unwatched).unwrap();
    assert_eq!(fs::read(folder.0.join("other")).unwrap(), new("patches"));
    // Somebody else is at it.
    fresh(&folder);
    let held = fs::File::open(&path).unwrap();
    held.lock().unwrap();
    let busy = change(&path, "patches", &mut inplace::unwatched);
    assert!(matches!(busy, Err(InPlaceError::Busy(_))), "{busy:?}");
    drop(held);
    // It is not what was read.
    let source = FileSource::open(&path).unwrap();
    fs::write(&path, old()).unwrap();
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(1);
    OpenOptions::new().write(true).open(&path).unwrap().set_modified(later).unwrap();
    let changed = inplace::change(&how("patches"), &source, false, &mut inplace::unwatched);
    assert!(matches!(changed, Err(InPlaceError::Changed(_))), "{changed:?}");
    // It was changed again, by something else, after the change that is to be taken back.
    fresh(&folder);
    change(&path, "sector", &mut inplace::unwatched).unwrap();
    OpenOptions::new().write(true).open(&path).unwrap().write_all_at(b"other", 700).unwrap();
    let undone = inplace::undo(&path, &mut inplace::unwatched);
    assert!(matches!(undone, Err(InPlaceError::Changed(_))), "{undone:?}");
    // It is marked read-only, even for who may do everything.
    fresh(&folder);
    let mut permissions = fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&path, permissions).unwrap();
    let closed = change(&path, "sector", &mut inplace::unwatched);
    assert!(
        matches!(&closed, Err(InPlaceError::Io { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied)
    );
}

#[test]
fn a_record_of_another_file_is_not_used() {
    let folder = Folder::new("other");
    fresh(&folder);
    let steps = steps(&folder, "patches");
    fresh(&folder);
    child(&folder, "change", "patches", steps - 2, false);
    assert!(inplace::is_pending(&folder.file()).unwrap());
    // Somebody puts another file in its place.
    let other = folder.0.join("other");
    fs::write(&other, b"another model").unwrap();
    fs::rename(&other, folder.file()).unwrap();
    let result = inplace::recover(&folder.file(), &mut inplace::unwatched);
    assert!(matches!(result, Err(InPlaceError::Damaged(_))), "{result:?}");
    assert_eq!(fs::read(folder.file()).unwrap(), b"another model");
}

#[test]
fn what_somebody_has_put_in_the_place_of_a_record_is_neither_written_through_nor_waited_for() {
    let folder = Folder::new("planted");
    fresh(&folder);
    let (path, other) = (folder.file(), folder.0.join("other"));
    fs::write(&other, b"precious").unwrap();
    std::os::unix::fs::symlink(&other, folder.0.join(".model.gguf.ggufkit-undo")).unwrap();
    change(&path, "sector", &mut inplace::unwatched).unwrap();
    assert_eq!(fs::read(&other).unwrap(), b"precious");
    inplace::undo(&path, &mut inplace::unwatched).unwrap();
    assert!(is(&folder, &old()));
    // A pipe that nobody writes to, and a link to a whole record.
    let pipe = folder.0.join(".model.gguf.ggufkit-journal");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let recovered = inplace::recover(&path, &mut inplace::unwatched);
    assert!(matches!(recovered, Err(InPlaceError::Damaged(_))), "{recovered:?}");
    fs::remove_file(&pipe).unwrap();
    std::os::unix::fs::symlink(&other, &pipe).unwrap();
    let recovered = inplace::recover(&path, &mut inplace::unwatched);
    assert!(matches!(recovered, Err(InPlaceError::Damaged(_))), "{recovered:?}");
    assert!(is(&folder, &old()));
}

#[test]
fn a_file_with_holes_is_not_moved() {
    let folder = Folder::new("holes");
    if !kinds(&folder).contains(&"insert") {
        return;
    }
    fresh(&folder);
    let file = OpenOptions::new().write(true).open(folder.file()).unwrap();
    file.set_len(20 * BLOCK).unwrap();
    file.set_len(SIZE).unwrap();
    let before = fs::read(folder.file()).unwrap();
    let result = change(&folder.file(), "insert", &mut inplace::unwatched);
    assert!(matches!(result, Err(InPlaceError::Unmovable(_))), "{result:?}");
    assert_eq!(fs::read(folder.file()).unwrap(), before);
    assert_eq!(folder.names(), ["model.gguf"]);
}
