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
use ggufkit_io::inplace::{self, Call, InPlaceError, Step};

const BLOCK: u64 = 4096;
const SIZE: u64 = 40 * BLOCK + 100;

/// One test at a time: a child that another thread has begun and not yet started holds all locks of this process too.
static ALONE: Mutex<()> = Mutex::new(());

/// The folder of one test, on the file system that is to be tested.
struct Folder(PathBuf, #[expect(dead_code, reason = "is held")] MutexGuard<'static, ()>);

/// Where folders of tests are made.
fn root() -> PathBuf {
    std::env::var_os("GGUFKIT_TEST_FOLDER").map_or_else(std::env::temp_dir, PathBuf::from)
}

impl Folder {
    fn new(name: &str) -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let path = root().join(format!("ggufkit-inplace-{name}-{}", std::process::id()));
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

/// Faults that the test below injects at least, and where blocks are moved too: it is not to become a test of nothing.
const LEAST: usize = 250;
const LEAST_MOVING: usize = 500;

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
        // A head of five and a half blocks becomes one of thirteen and a half.
        "insert" => {
            plan.copy(Span::new(0, 1000)).unwrap();
            plan.literal(&new(5 * BLOCK + BLOCK / 2 - 1000 + 8 * BLOCK)).unwrap();
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
    inplace::change(
        &inplace::exact(&how(kind), &source).unwrap(),
        &source,
        false,
        Call { id: 7, files: 1 },
        watch,
    )
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
        inplace::undo(&folder.file(), false, &mut inplace::unwatched).unwrap();
        assert!(is(&folder, &old()), "{kind}");
        assert_eq!(folder.names(), ["model.gguf"], "{kind}");
        let again = inplace::undo(&folder.file(), false, &mut inplace::unwatched);
        assert!(matches!(again, Err(InPlaceError::NothingToUndo(_))), "{kind}: {again:?}");
    }
}

#[test]
fn the_file_alone_is_written_and_little_of_it() {
    let folder = Folder::new("little");
    // 4 bytes; 3000 + 1 + 5000; the head between the first new byte and the seam.
    for (kind, least) in [("sector", 4), ("patches", 8001), ("insert", 13 * BLOCK + BLOCK / 2 - 1000)] {
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

/// Every kind of fault at every step: one that the system reports, a process that is killed, power that goes.
#[test]
fn whatever_fails_and_whenever_the_file_is_the_old_one_or_the_new_one() {
    let folder = Folder::new("faults");
    let moving = kinds(&folder).iter().any(|kind| moves(kind));
    let mut sum = 0;
    for (what, faults) in [
        ("steps that fail", steps_that_fail as fn(&Folder) -> usize),
        ("processes that are killed", processes_that_are_killed),
        ("ways back that are killed", ways_back_that_are_killed),
        ("bytes that have moved in part", bytes_that_have_moved_in_part),
        ("power that goes", power_that_goes),
    ] {
        let faults = faults(&folder);
        println!("{faults} faults injected: {what}");
        sum += faults;
    }
    let moved = if moving { ", moving blocks too" } else { "" };
    println!("{sum} faults injected in all{moved}, in {}", root().display());
    let least = if moving { LEAST_MOVING } else { LEAST };
    assert!(sum >= least, "only {sum} of {least}");
}

fn steps_that_fail(folder: &Folder) -> usize {
    let mut points = 0;
    for kind in kinds(folder) {
        let steps = steps(folder, kind);
        for at in 0..steps {
            for lasting in [false, true] {
                fresh(folder);
                let mut step = 0;
                let result = change(&folder.file(), kind, &mut |_| {
                    step += 1;
                    if step - 1 == at || (lasting && step > at) {
                        Err(io::Error::new(io::ErrorKind::StorageFull, "full"))
                    } else {
                        Ok(())
                    }
                });
                let Err(error) = result else {
                    // It is done, and only its mark was left, which says so.
                    assert!(is(folder, &new(kind)) && at >= steps - 2, "{kind}: {at} of {steps}");
                    old_or_new(folder, kind, "the mark was left");
                    continue;
                };
                let what = format!("{at} of {steps}, lasting {lasting}: {error}");
                match error {
                    InPlaceError::NotDurable { .. } => assert!(is(folder, &new(kind)), "{kind}: {what}"),
                    InPlaceError::Interrupted { .. } => assert!(lasting, "{kind}: {what}"),
                    InPlaceError::Io { .. } => assert!(is(folder, &old()), "{kind}: {what}"),
                    _ => panic!("{kind}: {what}"),
                }
                old_or_new(folder, kind, &what);
                points += 1;
            }
        }
    }
    points
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
                // Half a record is not called whole.
                Step::Arm => {}
                Step::Write { at, bytes } if torn => {
                    let file = OpenOptions::new().write(true).open(&path).unwrap();
                    file.write_all_at(&bytes[..bytes.len() / 2], at).unwrap();
                }
                Step::Record(bytes) if torn => {
                    let record = path.with_file_name(".model.gguf.ggufkit-journal");
                    if let Ok(mut file) = OpenOptions::new().append(true).open(record) {
                        io::Write::write_all(&mut file, &bytes[..bytes.len() / 2]).unwrap();
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
        "undo" => drop(inplace::undo(&path, false, &mut watch).unwrap()),
        other => unreachable!("{other}"),
    }
}

fn processes_that_are_killed(folder: &Folder) -> usize {
    let mut points = 0;
    for kind in kinds(folder) {
        let steps = steps(folder, kind);
        for at in 0..steps {
            // A sector is written or not.
            for torn in [false, true].into_iter().filter(|torn| !torn || kind != "sector") {
                fresh(folder);
                assert!(!child(folder, "change", kind, at, torn));
                old_or_new(folder, kind, &format!("killed at {at} of {steps}, torn {torn}"));
                points += 1;
            }
        }
    }
    points
}

fn ways_back_that_are_killed(folder: &Folder) -> usize {
    let mut points = 0;
    for kind in kinds(folder) {
        let steps = steps(folder, kind);
        for undone in [false, true] {
            for at in 0..40 {
                fresh(folder);
                let done = if undone {
                    change(&folder.file(), kind, &mut inplace::unwatched).unwrap();
                    child(folder, "undo", kind, at, true)
                } else {
                    // Before the new name of the record.
                    child(folder, "change", kind, steps - 2, false);
                    if !inplace::is_pending(&folder.file()).unwrap() {
                        break;
                    }
                    child(folder, "recover", kind, at, true)
                };
                points += 1;
                let what = format!("way back killed at {at}, undone {undone}");
                old_or_new(folder, kind, &what);
                if done {
                    assert!(is(folder, &old()), "{kind}: {what}");
                    break;
                }
            }
        }
    }
    points
}

/// The file as it is when the power goes while its bytes are moved: some stretches have moved, and a hole is between.
fn bytes_that_have_moved_in_part(folder: &Folder) -> usize {
    let mut points = 0;
    for kind in kinds(folder).into_iter().filter(|kind| moves(kind)) {
        let how = how(kind);
        let (Some(Shift::Insert(span)) | Some(Shift::Remove(span))) = how.shift else { unreachable!() };
        let before = before_moving(folder, kind);
        let ends = SIZE.div_ceil(BLOCK) * BLOCK;
        for at in (span.start..=ends).step_by(BLOCK as usize).chain([SIZE]) {
            for again in [false, true] {
                fresh(folder);
                child(folder, "change", kind, before, false);
                let file = OpenOptions::new().read(true).write(true).open(folder.file()).unwrap();
                assert!(is(folder, &old()));
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
                    child(folder, "recover", kind, 2, true);
                }
                old_or_new(folder, kind, &what);
                assert!(is(folder, &old()), "{kind}: {what}");
                points += 1;
            }
        }
        // All has moved, or all has moved back, and of what is written into the seam some reached the disk: any blocks.
        for mask in [0b1_u32, 0b101, 0b10101, 0b1010_1010, 0b10_0100, 0b1101_1011, 0b1111_1111] {
            fresh(folder);
            child(folder, "change", kind, before, false);
            let file = OpenOptions::new().read(true).write(true).open(folder.file()).unwrap();
            use rustix::fs::{FallocateFlags, fallocate};
            if matches!(how.shift, Some(Shift::Remove(_))) {
                fallocate(&file, FallocateFlags::COLLAPSE_RANGE, span.start, span.len).unwrap();
            }
            fallocate(&file, FallocateFlags::INSERT_RANGE, span.start, span.len).unwrap();
            for block in (0..span.len / BLOCK).filter(|block| mask >> block & 1 == 1) {
                file.write_all_at(&[b'N'; BLOCK as usize], span.start + block * BLOCK).unwrap();
            }
            file.sync_all().unwrap();
            drop(file);
            let what = format!("moved, and blocks {mask:b} of the seam were written");
            old_or_new(folder, kind, &what);
            assert!(is(folder, &old()), "{kind}: {what}");
            points += 1;
        }
    }
    points
}

/// Steps before bytes are moved.
fn before_moving(folder: &Folder, kind: &str) -> usize {
    let (mut before, mut moved) = (0, false);
    fresh(folder);
    change(&folder.file(), kind, &mut |step| {
        moved |= matches!(step, Step::Shift(_));
        before += usize::from(!moved);
        Ok(())
    })
    .unwrap();
    before
}

/// What has reached the disk when the power goes, and what may have.
#[derive(Default)]
struct Power {
    /// The record: its bytes, whether they are there, whether it is armed, whether it has its name.
    record: Vec<u8>,
    synced: bool,
    armed: (bool, bool),
    named: (bool, bool),
    /// The file is marked.
    marked: (bool, bool),
    /// What was done to the file and synced, and what was not.
    file: Vec<Done>,
    loose: Vec<Done>,
}

#[derive(Clone)]
enum Done {
    Shift(Shift),
    Write(u64, Vec<u8>),
    Resize(u64),
}

impl Power {
    fn see(&mut self, step: Step<'_>) {
        match step {
            Step::Record(bytes) => self.record.extend_from_slice(bytes),
            Step::SyncRecord => (self.synced, self.armed.0) = (true, self.armed.1),
            Step::Arm => self.armed.1 = true,
            Step::Mark(now) => self.marked.1 = now,
            Step::Shift(shift) => self.loose.push(Done::Shift(shift)),
            Step::Write { at, bytes } => self.loose.push(Done::Write(at, bytes.to_vec())),
            Step::Resize(len) => self.loose.push(Done::Resize(len)),
            Step::SyncFile => {
                self.file.append(&mut self.loose);
                self.marked.0 = self.marked.1;
            }
            Step::Rename => self.named.1 = false,
            Step::SyncFolder => {
                // The first one is that of the record.
                self.named.1 = self.named.1 || !self.named.0 && !self.record.is_empty();
                self.named.0 = self.named.1;
            }
            _ => {}
        }
    }

    /// Makes the folder what the disk has, with `random` of what may be there.
    fn goes(&self, folder: &Folder, random: &mut dyn FnMut() -> u64) {
        let mut maybe =
            |(sure, perhaps): (bool, bool)| if random().is_multiple_of(2) { sure } else { perhaps };
        let (armed, named, marked) = (maybe(self.armed), maybe(self.named), maybe(self.marked));
        let file = OpenOptions::new().read(true).write(true).open(folder.file()).unwrap();
        file.set_len(0).unwrap();
        file.write_all_at(&old(), 0).unwrap();
        file.sync_all().unwrap();
        for done in &self.file {
            lay(&file, done, &mut |_| true);
        }
        // The system writes lengths and moves in their order, up to one; bytes that were written behind a move that it did
        // not come to are where their blocks are still.
        let mut unmoved = None;
        let mut stopped = false;
        for done in &self.loose {
            match done {
                Done::Write(at, bytes) => match unmoved {
                    None => lay(&file, done, &mut |_| random().is_multiple_of(2)),
                    Some(shift) => {
                        for (n, sector) in bytes.chunks(512).enumerate() {
                            let at: u64 = at + n as u64 * 512;
                            let last = at + sector.len() as u64 - 1;
                            let stood =
                                |shift: Shift| Some((shift.old_position(at)?, shift.old_position(last)?));
                            match stood(shift).filter(|(first, last)| last - first < 512 && *last < SIZE) {
                                Some((at, _)) if random().is_multiple_of(2) => {
                                    file.write_all_at(sector, at).unwrap()
                                }
                                _ => {}
                            }
                        }
                    }
                },
                other => {
                    stopped |= random().is_multiple_of(2);
                    match other {
                        Done::Shift(shift) if stopped => unmoved = Some(*shift),
                        _ if stopped => {}
                        other => lay(&file, other, &mut |_| true),
                    }
                }
            }
        }
        file.sync_all().unwrap();
        if !marked {
            let _ = rustix::fs::fremovexattr(&file, "user.ggufkit.pending");
        }
        let journal = folder.0.join(".model.gguf.ggufkit-journal");
        let _ = fs::remove_file(&journal);
        if named {
            let mut bytes = self.record.clone();
            if armed {
                bytes[16..24].copy_from_slice(b"is whole");
            }
            if !self.synced {
                // Some of it is there, or its length and zeros.
                let kept = random() as usize % (bytes.len() + 1);
                match random() % 2 {
                    0 => bytes.truncate(kept),
                    _ => bytes[kept..].fill(0),
                }
            }
            fs::write(&journal, &bytes).unwrap();
        }
    }
}

/// Does something to a file; of a write those sectors of which `is` says so.
fn lay(file: &fs::File, done: &Done, is: &mut dyn FnMut(u64) -> bool) {
    use rustix::fs::{FallocateFlags, fallocate};
    match done {
        Done::Shift(Shift::Insert(span)) => {
            fallocate(file, FallocateFlags::INSERT_RANGE, span.start, span.len).unwrap();
        }
        Done::Shift(Shift::Remove(span)) => {
            fallocate(file, FallocateFlags::COLLAPSE_RANGE, span.start, span.len).unwrap();
        }
        Done::Resize(len) => file.set_len(*len).unwrap(),
        Done::Write(at, bytes) => {
            let mut from = 0;
            while from < bytes.len() {
                let here = at + from as u64;
                let to = bytes.len().min(from + (512 - here % 512) as usize);
                if is(here) {
                    file.write_all_at(&bytes[from..to], here).unwrap();
                }
                from = to;
            }
        }
    }
}

/// Of what was written since the last sync any part may be lost with the power, in any order.
fn power_that_goes(folder: &Folder) -> usize {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed >> 8
    };
    let mut points = 0;
    for kind in kinds(folder) {
        let steps = steps(folder, kind);
        for at in 0..=steps {
            for _ in 0..3 {
                let mut power = Power::default();
                let mut step = 0;
                fresh(folder);
                let _ = change(&folder.file(), kind, &mut |now| {
                    if step >= at {
                        return Err(io::Error::other("the power is gone"));
                    }
                    step += 1;
                    power.see(now);
                    Ok(())
                });
                if kind == "sector" {
                    // Its record is of a change that is done, or not.
                    power.named = (false, false);
                }
                power.goes(folder, &mut random);
                old_or_new(folder, kind, &format!("power gone at {at} of {steps}"));
                points += 1;
            }
        }
    }
    points
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
    match inplace::change(&how("patches"), &source, true, Call { id: 7, files: 1 }, &mut inplace::unwatched) {
        // Where files cannot be marked nobody would know under the other name.
        Err(InPlaceError::Unmarkable { names: 2, .. }) => {
            assert!(is(&folder, &old()) && !inplace::is_pending(&path).unwrap());
            let source = FileSource::open(&path).unwrap();
            inplace::change(&how("sector"), &source, true, Call { id: 7, files: 1 }, &mut inplace::unwatched)
                .unwrap();
        }
        other => {
            other.unwrap();
            assert_eq!(fs::read(folder.0.join("other")).unwrap(), new("patches"));
        }
    }
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
    let changed =
        inplace::change(&how("patches"), &source, false, Call { id: 7, files: 1 }, &mut inplace::unwatched);
    assert!(matches!(changed, Err(InPlaceError::Changed(_))), "{changed:?}");
    // It was changed again, by something else, after the change that is to be taken back.
    fresh(&folder);
    change(&path, "sector", &mut inplace::unwatched).unwrap();
    OpenOptions::new().write(true).open(&path).unwrap().write_all_at(b"other", 700).unwrap();
    let undone = inplace::undo(&path, false, &mut inplace::unwatched);
    assert!(matches!(undone, Err(InPlaceError::ChangedSince(_))), "{undone:?}");
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
fn what_somebody_has_put_in_the_place_of_a_record_is_neither_written_through_nor_waited_for() {
    let folder = Folder::new("planted");
    fresh(&folder);
    let (path, other) = (folder.file(), folder.0.join("other"));
    fs::write(&other, b"precious").unwrap();
    std::os::unix::fs::symlink(&other, folder.0.join(".model.gguf.ggufkit-undo")).unwrap();
    change(&path, "sector", &mut inplace::unwatched).unwrap();
    assert_eq!(fs::read(&other).unwrap(), b"precious");
    inplace::undo(&path, false, &mut inplace::unwatched).unwrap();
    assert!(is(&folder, &old()));
    // A pipe that nobody writes to, and a link to a whole record.
    let pipe = folder.0.join(".model.gguf.ggufkit-journal");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let recovered = inplace::recover(&path, &mut inplace::unwatched);
    assert!(matches!(recovered, Err(InPlaceError::Foreign(_))), "{recovered:?}");
    fs::remove_file(&pipe).unwrap();
    std::os::unix::fs::symlink(&other, &pipe).unwrap();
    let recovered = inplace::recover(&path, &mut inplace::unwatched);
    assert!(matches!(recovered, Err(InPlaceError::Foreign(_))), "{recovered:?}");
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

/// A move that a signal interrupts may have come any way; it is never simply done again.
#[test]
fn a_move_that_is_interrupted_is_looked_at_anew() {
    let folder = Folder::new("interrupted");
    for kind in kinds(&folder).into_iter().filter(|kind| moves(kind)) {
        fresh(&folder);
        let mut shifts = 0;
        let mut once = |step: Step<'_>| match step {
            Step::Shift(_) => {
                shifts += 1;
                if shifts == 1 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
            }
            _ => Ok(()),
        };
        let error = change(&folder.file(), kind, &mut once).unwrap_err();
        assert!(
            matches!(&error, InPlaceError::Io { source, .. } if source.kind() == io::ErrorKind::Interrupted)
        );
        assert!(is(&folder, &old()), "{kind}");
        change(&folder.file(), kind, &mut inplace::unwatched).unwrap();
        let mut shifts = 0;
        let mut thrice = |step: Step<'_>| match step {
            Step::Shift(_) => {
                shifts += 1;
                if shifts < 4 { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
            }
            _ => Ok(()),
        };
        inplace::undo(&folder.file(), false, &mut thrice).unwrap();
        assert!(is(&folder, &old()), "{kind}");
    }
}
