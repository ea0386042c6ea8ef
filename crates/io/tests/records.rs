//! Whose record it is: what is done by one, and what is not, when the file at its name is another one by now, has other
//! names, or is somebody else's.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use ggufkit_format::{InPlace, Plan, Span};
use ggufkit_io::inplace::{self, Call, Discarded, InPlaceError, Step, unwatched};
use ggufkit_io::{FileSource, Route, RouteError, Way, replace, sink};
use tempfile::TempDir;

const SIZE: u64 = 200_000;

fn old() -> Vec<u8> {
    (0..SIZE).map(|at| (at.wrapping_mul(0x9e37_79b9) >> 13) as u8 | 1).collect()
}

/// A patch of three thousand bytes, or of four.
fn plan(at: u64, len: u64) -> Plan {
    let mut plan = Plan::new();
    plan.copy(Span::new(0, at)).unwrap();
    plan.literal(&vec![b'N'; len as usize]).unwrap();
    plan.copy(Span::between(at + len, SIZE)).unwrap();
    plan
}

fn patch() -> InPlace {
    plan(1000, 3000).in_place(SIZE, None, 1 << 20).unwrap()
}

fn sector() -> InPlace {
    plan(8200, 4).in_place(SIZE, None, 1 << 20).unwrap()
}

fn new() -> Vec<u8> {
    plan(1000, 3000).render(&old()).unwrap()
}

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("m.gguf");
    fs::write(&file, old()).unwrap();
    (folder, file)
}

fn change(path: &Path, how: &InPlace, all_names: bool) -> Result<(), InPlaceError> {
    inplace::change(
        how,
        &FileSource::open(path).unwrap(),
        all_names,
        Call { id: 7, files: 1 },
        &mut unwatched,
    )
}

/// Begins a change that stops when its bytes are written, and cannot go back: as a process that is killed.
fn interrupt(path: &Path, all_names: bool) {
    let mut stopped = false;
    let source = FileSource::open(path).unwrap();
    let result = inplace::change(&patch(), &source, all_names, Call { id: 7, files: 1 }, &mut |step| {
        stopped |= matches!(step, Step::Rename);
        if stopped { Err(io::Error::other("stop")) } else { Ok(()) }
    });
    assert!(matches!(result, Err(InPlaceError::Interrupted { .. })), "{result:?}");
    assert_eq!(fs::read(path).unwrap(), new());
    assert!(inplace::is_pending(path).unwrap());
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Whether files can be marked here: on nearly every file system.
fn has_marks(path: &Path) -> bool {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let made = rustix::fs::fsetxattr(&file, "user.test", b"", rustix::fs::XattrFlags::empty()).is_ok();
    if made {
        rustix::fs::fremovexattr(&file, "user.test").unwrap();
    } else {
        ggufkit_testkit::corpus::skip("marks", "this file system has no attributes");
    }
    made
}

fn is_root() -> bool {
    let file = tempfile::tempfile().unwrap();
    file.metadata().unwrap().uid() == 0
}

#[test]
fn bytes_that_were_put_into_the_same_file_are_not_overwritten() {
    let same_head = {
        let mut bytes = new();
        bytes[150_000..].iter_mut().for_each(|byte| *byte ^= 0x55);
        bytes
    };
    let same_but_few = {
        let mut bytes = new();
        bytes[20_000] ^= 1;
        bytes
    };
    let in_the_patch = {
        let mut bytes = new();
        bytes[1000..4000].fill(b'x');
        bytes
    };
    for (what, other) in [
        ("a short file", b"another model".repeat(200)),
        ("nothing", Vec::new()),
        ("a longer one", b"another model".repeat(30_000)),
        ("one of the same head", same_head),
        ("one that differs in a byte near the change", same_but_few),
        ("one that differs where the change is", in_the_patch),
    ] {
        let (folder, file) = folder();
        interrupt(&file, false);
        // As cp does it: the same file with other bytes.
        fs::write(&file, &other).unwrap();
        let result = inplace::recover(&file, &mut unwatched);
        assert!(matches!(result, Err(InPlaceError::Unfit { .. })), "{what}: {result:?}");
        assert!(matches!(inplace::pending(&file), Err(InPlaceError::Unfit { .. })), "{what}");
        assert_eq!(fs::read(&file).unwrap(), other, "{what}");
        // Who wants it so says so, and nothing is lost by that either.
        let Discarded::Aside(aside) = inplace::discard(&file, &mut unwatched).unwrap() else {
            panic!("{what}")
        };
        assert!(aside.exists() && !inplace::is_pending(&file).unwrap(), "{what}");
        assert_eq!(fs::read(&file).unwrap(), other, "{what}");
        assert!(inplace::forget(&file).unwrap() > 3000);
        assert_eq!(names(&folder), ["m.gguf"], "{what}");
    }
    // The old file that was put back is the old file.
    let (_folder, file) = folder();
    interrupt(&file, false);
    fs::write(&file, old()).unwrap();
    assert!(inplace::recover(&file, &mut unwatched).unwrap());
    assert_eq!(fs::read(&file).unwrap(), old());
}

#[test]
fn another_file_at_the_name_is_not_written_to_whatever_its_number() {
    let (folder, file) = folder();
    interrupt(&file, false);
    let other = folder.path().join("other");
    fs::write(&other, new()).unwrap();
    fs::rename(&other, &file).unwrap();
    let result = inplace::recover(&file, &mut unwatched);
    assert!(matches!(result, Err(InPlaceError::OtherFile { .. })), "{result:?}");
    assert_eq!(fs::read(&file).unwrap(), new());
    // Numbers of files that are gone are given out again.
    let (folder, file) = self::folder();
    interrupt(&file, false);
    let number = fs::metadata(&file).unwrap().ino();
    fs::remove_file(&file).unwrap();
    let again = (0..200).any(|n| {
        let try_it = folder.path().join(format!("try{n}"));
        fs::write(&try_it, new()).unwrap();
        fs::rename(&try_it, &file).unwrap();
        fs::metadata(&file).unwrap().ino() == number
    });
    if !again {
        ggufkit_testkit::corpus::skip("a number twice", "this file system gives none out again soon");
    }
    let result = inplace::recover(&file, &mut unwatched);
    assert!(matches!(result, Err(InPlaceError::OtherFile { .. })), "{again}: {result:?}");
    assert_eq!(fs::read(&file).unwrap(), new());
}

#[test]
fn a_new_file_at_a_name_has_none_of_the_records_that_stood_there() {
    let (folder, file) = folder();
    let source = folder.path().join("source");
    fs::write(&source, old()).unwrap();
    let source = FileSource::open(&source).unwrap();
    let made = plan(5, 10);
    change(&file, &patch(), false).unwrap();
    fs::rename(folder.path().join(".m.gguf.ggufkit-undo"), folder.path().join("keep")).unwrap();
    fs::write(&file, old()).unwrap();
    interrupt(&file, false);
    fs::rename(folder.path().join("keep"), folder.path().join(".m.gguf.ggufkit-undo")).unwrap();
    sink::save(&made, &source, &file, true, &mut sink::unwatched).unwrap();
    assert!(!inplace::is_pending(&file).unwrap());
    assert!(!inplace::recover(&file, &mut unwatched).unwrap());
    let undone = inplace::undo(&file, false, &mut unwatched);
    assert!(matches!(undone, Err(InPlaceError::NothingToUndo(_))), "{undone:?}");
    assert_eq!(fs::read(&file).unwrap(), made.render(&old()).unwrap());
    assert_eq!(names(&folder), [".m.gguf.ggufkit-aside", "m.gguf", "source"]);
    // The same at a name whose file is gone.
    fs::write(&file, old()).unwrap();
    interrupt(&file, false);
    fs::rename(&file, folder.path().join("moved.gguf")).unwrap();
    sink::save(&made, &source, &file, false, &mut sink::unwatched).unwrap();
    assert!(!inplace::is_pending(&file).unwrap());
    if !has_marks(&file) {
        return;
    }
    // What was moved away says what it is, and its record is there.
    let moved = folder.path().join("moved.gguf");
    assert!(inplace::is_pending(&moved).unwrap());
    assert!(matches!(inplace::recover(&moved, &mut unwatched), Err(InPlaceError::Elsewhere { .. })));
    fs::rename(folder.path().join(".m.gguf.ggufkit-aside-2"), folder.path().join(".m.gguf.ggufkit-journal"))
        .unwrap();
    assert!(inplace::recover(&moved, &mut unwatched).unwrap());
    assert_eq!(fs::read(&moved).unwrap(), old());
}

#[test]
fn a_record_without_its_last_word_is_of_a_change_that_has_not_begun() {
    let (folder, file) = folder();
    change(&file, &patch(), false).unwrap();
    let record = fs::read(folder.path().join(".m.gguf.ggufkit-undo")).unwrap();
    let journal = folder.path().join(".m.gguf.ggufkit-journal");
    fs::write(&file, old()).unwrap();
    let mut unarmed = record.clone();
    unarmed[16..24].fill(0);
    for bytes in [vec![0; record.len()], Vec::new(), unarmed.clone(), unarmed[..1000].to_vec(), {
        let mut zeros = unarmed.clone();
        zeros[512..].fill(0);
        zeros
    }] {
        fs::write(&journal, &bytes).unwrap();
        assert!(inplace::is_pending(&file).unwrap());
        assert!(inplace::recover(&file, &mut unwatched).unwrap());
        assert_eq!(fs::read(&file).unwrap(), old());
        assert!(!inplace::is_pending(&file).unwrap());
    }
    // One that says that it is whole and is not: the file stays, and who takes it as it is says so.
    let mut damaged = record;
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(&journal, &damaged).unwrap();
    let result = inplace::recover(&file, &mut unwatched);
    assert!(matches!(result, Err(InPlaceError::Damaged(_))), "{result:?}");
    assert!(matches!(inplace::discard(&file, &mut unwatched).unwrap(), Discarded::Aside(_)));
    assert!(!inplace::is_pending(&file).unwrap());
    assert_eq!(fs::read(&file).unwrap(), old());
}

#[test]
fn a_change_under_way_is_known_under_all_names() {
    let (folder, file) = folder();
    let link = folder.path().join("l.gguf");
    if !has_marks(&file) {
        return;
    }
    fs::hard_link(&file, &link).unwrap();
    interrupt(&file, true);
    assert!(inplace::is_pending(&link).unwrap());
    let changed = change(&link, &sector(), true);
    assert!(matches!(changed, Err(InPlaceError::Pending(_))), "{changed:?}");
    assert_eq!(fs::read(&file).unwrap(), new());
    assert!(inplace::recover(&link, &mut unwatched).unwrap());
    assert_eq!(fs::read(&file).unwrap(), old());
    assert!(!inplace::is_pending(&link).unwrap() && !inplace::is_pending(&file).unwrap());
    // Renamed: in the folder, and out of it.
    fs::remove_file(&link).unwrap();
    interrupt(&file, false);
    let (renamed, away) = (folder.path().join("b.gguf"), folder.path().join("sub"));
    fs::create_dir(&away).unwrap();
    fs::rename(&file, away.join("b.gguf")).unwrap();
    assert!(inplace::is_pending(&away.join("b.gguf")).unwrap());
    let elsewhere = inplace::recover(&away.join("b.gguf"), &mut unwatched);
    assert!(matches!(elsewhere, Err(InPlaceError::Elsewhere { .. })), "{elsewhere:?}");
    fs::rename(away.join("b.gguf"), &renamed).unwrap();
    assert!(inplace::recover(&renamed, &mut unwatched).unwrap());
    assert_eq!(fs::read(&renamed).unwrap(), old());
    // What is done is not under way, under any name.
    change(&renamed, &patch(), false).unwrap();
    assert!(!inplace::is_pending(&renamed).unwrap());
    fs::hard_link(&renamed, &link).unwrap();
    let undone = inplace::undo(&renamed, false, &mut unwatched);
    assert!(matches!(undone, Err(InPlaceError::Linked { names: 2, .. })), "{undone:?}");
    assert!(matches!(inplace::last_change(&renamed, false), Err(InPlaceError::Linked { .. })));
    inplace::undo(&renamed, true, &mut unwatched).unwrap();
    assert_eq!(fs::read(&link).unwrap(), old());
}

#[test]
fn a_mark_that_was_left_says_nothing_of_a_change_that_was_done() {
    let (_folder, file) = folder();
    let mark = |change: u64| {
        let file = OpenOptions::new().write(true).open(&file).unwrap();
        let text = format!("{change:016x} .m.gguf.ggufkit-journal");
        rustix::fs::fsetxattr(&file, "user.ggufkit.pending", text.as_bytes(), rustix::fs::XattrFlags::empty())
    };
    change(&file, &patch(), false).unwrap();
    if mark(7).is_err() {
        ggufkit_testkit::corpus::skip("marks", "this file system has no attributes");
        return;
    }
    assert!(!inplace::is_pending(&file).unwrap());
    // It goes with the next change, the way back, and what says that it was left.
    change(&file, &sector(), false).unwrap();
    assert!(!inplace::is_pending(&file).unwrap());
    fs::write(&file, old()).unwrap();
    change(&file, &patch(), false).unwrap();
    mark(7).unwrap();
    inplace::forget(&file).unwrap();
    assert!(!inplace::is_pending(&file).unwrap());
    // One of a change that nobody knows of any more, and of none at all.
    mark(8).unwrap();
    assert!(inplace::is_pending(&file).unwrap());
    let said = inplace::recover(&file, &mut unwatched);
    assert!(matches!(said, Err(InPlaceError::Elsewhere { .. })), "{said:?}");
    assert_eq!(inplace::discard(&file, &mut unwatched).unwrap(), Discarded::Mark);
    assert!(!inplace::is_pending(&file).unwrap());
    assert_eq!(fs::read(&file).unwrap(), new());
}

/// A copy with all attributes, as `cp -a` makes it.
fn copy(from: &Path, to: &Path) {
    fs::copy(from, to).unwrap();
    let mut mark = [0; 200];
    let len = rustix::fs::getxattr(from, "user.ggufkit.pending", &mut mark[..]).unwrap();
    let flags = rustix::fs::XattrFlags::empty();
    rustix::fs::setxattr(to, "user.ggufkit.pending", &mark[..len], flags).unwrap();
}

#[test]
fn a_copy_of_a_half_changed_file_takes_nothing_of_the_record_away() {
    let (folder, file) = folder();
    if !has_marks(&file) {
        return;
    }
    let record = folder.path().join(".m.gguf.ggufkit-journal");
    let of_copy = folder.path().join("copy.gguf");
    interrupt(&file, false);
    copy(&file, &of_copy);
    let said = inplace::recover(&of_copy, &mut unwatched);
    assert!(matches!(said, Err(InPlaceError::OtherFile { alike: true, .. })), "{said:?}");
    assert_eq!(inplace::discard(&of_copy, &mut unwatched).unwrap(), Discarded::Mark);
    assert!(record.exists() && !inplace::is_pending(&of_copy).unwrap());
    assert_eq!(fs::read(&of_copy).unwrap(), new());
    // Another name of the same file takes it, as it is its own.
    let link = folder.path().join("link.gguf");
    fs::hard_link(&file, &link).unwrap();
    let aside = folder.path().join(".link.gguf.ggufkit-aside");
    assert_eq!(inplace::discard(&link, &mut unwatched).unwrap(), Discarded::Aside(aside.clone()));
    fs::rename(aside, &record).unwrap();
    fs::remove_file(link).unwrap();
    assert!(inplace::recover(&file, &mut unwatched).unwrap());
    assert_eq!(fs::read(&file).unwrap(), old());
}

#[test]
fn a_copy_that_is_made_while_a_file_is_changed_is_taken_for_what_it_is() {
    let (folder, file) = folder();
    if !has_marks(&file) {
        return;
    }
    let record = folder.path().join(".m.gguf.ggufkit-journal");
    let (early, late) = (folder.path().join("early.gguf"), folder.path().join("late.gguf"));
    let source = FileSource::open(&file).unwrap();
    inplace::change(&patch(), &source, false, Call { id: 7, files: 1 }, &mut |step| {
        match step {
            // The record does not say yet that it is whole.
            Step::Arm => {
                copy(&file, &early);
                assert!(inplace::recover(&early, &mut unwatched).unwrap());
                assert!(record.exists());
            }
            Step::Write { .. } => copy(&file, &late),
            _ => {}
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(fs::read(&early).unwrap(), old());
    assert!(!inplace::is_pending(&early).unwrap() && !inplace::is_pending(&file).unwrap());
    // That the change of the other one was done says nothing of this one.
    assert!(inplace::is_pending(&late).unwrap());
    assert_eq!(inplace::discard(&late, &mut unwatched).unwrap(), Discarded::Mark);
    inplace::undo(&file, false, &mut unwatched).unwrap();
    assert_eq!(fs::read(&file).unwrap(), old());
}

#[test]
fn a_change_within_one_sector_that_stops_leaves_the_one_before_it_to_be_taken_back() {
    let next = |folder: &TempDir| folder.path().join(".m.gguf.ggufkit-next");
    let steps = |at: usize, lasting: bool, file: &Path| {
        let mut step = 0;
        let source = FileSource::open(file).unwrap();
        let result = inplace::change(&sector(), &source, false, Call { id: 8, files: 1 }, &mut |_| {
            step += 1;
            let stops = step > at && (lasting || step == at + 1);
            if stops { Err(io::Error::other("stop")) } else { Ok(()) }
        });
        (result, step)
    };
    let after = sector_of(&new());
    let all = {
        let (_folder, file) = folder();
        steps(usize::MAX, false, &file).1
    };
    assert!(all >= 5, "{all}");
    let mut left = 0;
    // One step fails, or all from there on do, as where the process is killed.
    for (at, lasting) in (0..all).flat_map(|at| [(at, false), (at, true)]) {
        let (folder, file) = folder();
        change(&file, &patch(), false).unwrap();
        let (result, _) = steps(at, lasting, &file);
        let what = format!("{at} of {all}, {lasting}: {result:?}");
        assert!(!inplace::is_pending(&file).unwrap(), "{what}");
        let now = fs::read(&file).unwrap();
        let is_changed = now == after;
        assert!(is_changed || now == new(), "{what}");
        left += usize::from(next(&folder).exists());
        let id = inplace::kept_change(&file).unwrap().unwrap().id;
        assert_eq!(id, if is_changed { 8 } else { 7 }, "{what}");
        assert_eq!(inplace::last_change(&file, false).unwrap().id, id, "{what}");
        inplace::undo(&file, false, &mut unwatched).unwrap();
        assert_eq!(fs::read(&file).unwrap(), if is_changed { new() } else { old() }, "{what}");
        assert_eq!(names(&folder), ["m.gguf"], "{what}");
    }
    assert!(left > 2, "{left}");
    // The next change, and letting go, leave none of it either.
    let (folder, file) = folder();
    let _ = steps(all - 1, true, &file);
    assert!(next(&folder).exists());
    change(&file, &patch(), false).unwrap();
    assert_eq!(names(&folder), [".m.gguf.ggufkit-undo", "m.gguf"]);
    inplace::undo(&file, false, &mut unwatched).unwrap();
    assert_eq!(fs::read(&file).unwrap(), sector_of(&old()));
    fs::write(&file, old()).unwrap();
    let _ = steps(all - 1, true, &file);
    assert!(inplace::forget(&file).unwrap() > 0);
    assert_eq!(names(&folder), ["m.gguf"]);
}

/// The bytes with the change within one sector.
fn sector_of(bytes: &[u8]) -> Vec<u8> {
    plan(8200, 4).render(bytes).unwrap()
}

/// What the folder had when it was last synced: that is what it may have again when the power goes.
#[test]
fn names_that_come_back_with_the_power_undo_nothing_under_a_later_change() {
    // How the first change ends: before the folder is synced, or taken back, and the same.
    for taken_back in [false, true] {
        let (folder, file) = folder();
        let disk = tempfile::tempdir().unwrap();
        let snapshot = || {
            for name in names(&folder).iter().filter(|name| name.starts_with('.')) {
                // The name; what the file holds reaches the disk by itself.
                let _ = fs::remove_file(disk.path().join(name));
                fs::hard_link(folder.path().join(name), disk.path().join(name)).unwrap();
            }
            for name in fs::read_dir(disk.path()).unwrap() {
                let name = name.unwrap().file_name();
                if !folder.path().join(&name).exists() {
                    fs::remove_file(disk.path().join(name)).unwrap();
                }
            }
        };
        let mut syncs = 0;
        let mut first = |step: Step<'_>| {
            if matches!(step, Step::SyncFolder) {
                syncs += 1;
                if syncs == 2 {
                    return Err(io::Error::other("no"));
                }
            }
            // The folder as it is when everything before is done.
            snapshot_before(&step, &snapshot);
            Ok(())
        };
        let source = FileSource::open(&file).unwrap();
        if taken_back {
            interrupt(&file, false);
            snapshot();
            let result = inplace::recover(&file, &mut |step| match step {
                Step::SyncFolder => Err(io::Error::other("no")),
                _ => Ok(()),
            });
            assert!(matches!(result, Err(InPlaceError::Interrupted { .. })), "{result:?}");
        } else {
            let result = inplace::change(&patch(), &source, false, Call { id: 7, files: 1 }, &mut first);
            assert!(matches!(result, Err(InPlaceError::NotDurable { .. })), "{result:?}");
        }
        assert!(disk.path().join(".m.gguf.ggufkit-journal").exists());
        let between = fs::read(&file).unwrap();
        // A change of one sector, in which nothing waits for the folder; then the power goes.
        let source = FileSource::open(&file).unwrap();
        let mut then = |step: Step<'_>| {
            if matches!(step, Step::SyncFolder) {
                snapshot();
            }
            Ok(())
        };
        let within = plan(1100, 4).in_place(SIZE, None, 1 << 20).unwrap();
        let within = InPlace::new(
            None,
            vec![(1100, ggufkit_format::Piece::Literal(b"then".to_vec()))],
            within.len,
            SIZE,
        );
        inplace::change(&within, &source, false, Call { id: 8, files: 1 }, &mut then).unwrap();
        let after = fs::read(&file).unwrap();
        for name in names(&folder).iter().filter(|name| name.starts_with('.')) {
            fs::remove_file(folder.path().join(name)).unwrap();
        }
        for name in names(&disk) {
            fs::hard_link(disk.path().join(&name), folder.path().join(&name)).unwrap();
        }
        let _ = inplace::recover(&file, &mut unwatched);
        let now = fs::read(&file).unwrap();
        assert!(now == after || now == between, "taken back {taken_back}: neither");
    }
}

fn snapshot_before(step: &Step<'_>, snapshot: &dyn Fn()) {
    // The name of the record is on the disk when the mark is set.
    if matches!(step, Step::Mark(true)) {
        snapshot();
    }
}

#[test]
fn a_new_file_takes_the_place_of_none_that_is_being_changed() {
    let (folder, file) = folder();
    let source = FileSource::open(&file).unwrap();
    let made = plan(5, 10);
    let held = fs::File::open(&file).unwrap();
    held.lock().unwrap();
    let busy = replace(&made, &source, &source, &mut sink::unwatched);
    assert!(matches!(busy, Err(RouteError::InPlace(InPlaceError::Busy(_)))), "{busy:?}");
    let other = folder.path().join("other");
    fs::write(&other, old()).unwrap();
    let other = FileSource::open(&other).unwrap();
    sink::save(&made, &other, &file, true, &mut sink::unwatched).unwrap_err();
    assert_eq!(fs::read(&file).unwrap(), old());
    drop(held);
    // And none begins to be changed before the new one is there.
    let mut tried = 0;
    replace(&made, &source, &source, &mut |now| {
        if now.stage == sink::Stage::SyncFolder {
            // It is there.
            return Ok(());
        }
        let busy = change(&file, &patch(), false);
        assert!(matches!(busy, Err(InPlaceError::Busy(_))), "{busy:?}");
        tried += 1;
        Ok(())
    })
    .unwrap_or_else(|error| panic!("{error}"));
    assert!(tried > 3);
    assert_eq!(fs::read(&file).unwrap(), made.render(&old()).unwrap());
}

#[test]
fn a_link_stays_one_and_records_stand_beside_the_file() {
    let (folder, file) = folder();
    let sub = folder.path().join("sub");
    fs::create_dir(&sub).unwrap();
    let link = sub.join("link.gguf");
    std::os::unix::fs::symlink("../m.gguf", &link).unwrap();
    change(&link, &patch(), false).unwrap();
    assert_eq!(names(&folder), [".m.gguf.ggufkit-undo", "m.gguf", "sub"]);
    assert_eq!(fs::read_dir(&sub).unwrap().count(), 1);
    let source = FileSource::open(&link).unwrap();
    let route = Route::choose(&plan(5, 10), &source, false).unwrap();
    assert!(matches!(
        route.go(&plan(5, 10), &source, false, &mut sink::unwatched),
        Ok(Way::Copy | Way::Share)
    ));
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&file).unwrap(), plan(5, 10).render(&new()).unwrap());
    assert_eq!(names(&folder), ["m.gguf", "sub"]);
}

#[test]
fn what_somebody_else_has_put_there_is_no_record() {
    let (folder, file) = folder();
    interrupt(&file, false);
    let journal = folder.path().join(".m.gguf.ggufkit-journal");
    if is_root() {
        std::os::unix::fs::chown(&journal, Some(1000), None).unwrap();
        let result = inplace::recover(&file, &mut unwatched);
        assert!(matches!(result, Err(InPlaceError::Foreign(_))), "{result:?}");
        assert_eq!(fs::read(&file).unwrap(), new());
        // The owner of the file may.
        std::os::unix::fs::chown(&file, Some(1000), None).unwrap();
        assert!(inplace::recover(&file, &mut unwatched).unwrap());
        assert_eq!(fs::read(&file).unwrap(), old());
        // And what is kept of his file is his.
        change(&file, &patch(), false).unwrap();
        let kept = fs::metadata(folder.path().join(".m.gguf.ggufkit-undo")).unwrap();
        assert_eq!(kept.uid(), 1000);
    } else {
        ggufkit_testkit::corpus::skip("records of others", "only root gives files away");
    }
}

#[test]
fn what_is_read_between_two_equal_stamps_is_of_one_file() {
    let (_folder, file) = folder();
    let before = inplace::Stamp::of(&file).unwrap();
    assert!(!before.is_pending());
    assert_eq!(inplace::Stamp::of(&file).unwrap(), before);
    let source = FileSource::open(&file).unwrap();
    let mut seen = Vec::new();
    inplace::change(&patch(), &source, false, Call { id: 7, files: 1 }, &mut |step| {
        if matches!(step, Step::Write { .. }) {
            seen.push(inplace::Stamp::of(&file).unwrap());
        }
        Ok(())
    })
    .unwrap();
    assert!(seen.iter().all(inplace::Stamp::is_pending) && !seen.is_empty());
    // One that begins and ends between two looks is seen too.
    assert_ne!(inplace::Stamp::of(&file).unwrap(), before);
}

#[test]
fn a_new_file_in_the_place_of_an_old_one_is_whose_that_was() {
    let (folder, file) = folder();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    let marked = OpenOptions::new().write(true).open(&file).unwrap();
    let attributes =
        rustix::fs::fsetxattr(&marked, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    if is_root() {
        std::os::unix::fs::chown(&file, Some(1000), Some(1000)).unwrap();
    }
    let owner = fs::metadata(&file).unwrap();
    // Of what else the new file is made does not count.
    let other = folder.path().join("other");
    fs::write(&other, old()).unwrap();
    let other = FileSource::open(&other).unwrap();
    replace(&plan(5, 10), &other, &FileSource::open(&file).unwrap(), &mut sink::unwatched).unwrap();
    let now = fs::metadata(&file).unwrap();
    assert_ne!(now.ino(), owner.ino());
    assert_eq!((now.uid(), now.gid(), now.mode()), (owner.uid(), owner.gid(), owner.mode()));
    if attributes {
        let mut value = [0; 8];
        let len = rustix::fs::getxattr(&file, "user.note", &mut value[..]).unwrap();
        assert_eq!(&value[..len], b"kept");
    }
    // What is written elsewhere is whoever's writes it.
    let target = folder.path().join("target");
    sink::save(&plan(5, 10), &FileSource::open(&file).unwrap(), &target, false, &mut sink::unwatched)
        .unwrap();
    assert_eq!(fs::metadata(&target).unwrap().uid(), fs::metadata(folder.path()).unwrap().uid());
}

#[test]
fn a_change_is_not_taken_back_under_another_one() {
    let (folder, file) = folder();
    change(&file, &patch(), false).unwrap();
    let told = inplace::last_change(&file, false).unwrap();
    assert_eq!((told.id, told.bytes, told.places, told.len), (7, 3000, 1, (SIZE, SIZE)));
    assert!(told.time > 1_700_000_000);
    // Somebody has changed what this one left alone.
    OpenOptions::new().write(true).open(&file).unwrap().write_all_at(b"other", 7000).unwrap();
    for result in [inplace::last_change(&file, false), inplace::undo(&file, false, &mut unwatched)] {
        assert!(matches!(result, Err(InPlaceError::ChangedSince(_))), "{result:?}");
    }
    assert!(inplace::forget(&file).unwrap() > 3000);
    assert_eq!(names(&folder), ["m.gguf"]);
    assert_eq!(inplace::forget(&file).unwrap(), 0);
}
