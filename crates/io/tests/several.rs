//! Several files out of several: all of them or none, and none of the sources is ever a target.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ggufkit_format::{Plan, Span};
use ggufkit_io::sink::{Differs, Output, SinkError, Stage, Terms, compare, save_all, unwatched};
use ggufkit_io::{FileSource, Joined};

/// Three sources of 300 kB that differ, and their bytes end to end.
const SYNCED: Terms = Terms { replace: false, sync: true };

fn sources(folder: &Path) -> (Vec<FileSource>, Vec<u8>) {
    let mut all = Vec::new();
    let mut files = Vec::new();
    for at in 0..3_u32 {
        let bytes: Vec<u8> = (0..300_000_u32).map(|n| (n % 251 + at) as u8).collect();
        let path = folder.join(format!("source{at}"));
        fs::write(&path, &bytes).unwrap();
        files.push(FileSource::open(path).unwrap());
        all.extend(bytes);
    }
    (files, all)
}

/// Copies that reach over the ends of files, small ones and large ones.
fn plans() -> Vec<Plan> {
    let spans = [&[(299_990, 20), (0, 200_000)][..], &[(250_000, 400_000)], &[(700_000, 200_000), (10, 5)]];
    let plan = |(at, spans): (usize, &&[(u64, u64)])| {
        let mut plan = Plan::new();
        plan.literal(format!("file {at}").as_bytes()).unwrap();
        for (start, len) in *spans {
            plan.copy(Span::new(*start, *len)).unwrap();
            plan.zeros(3).unwrap();
        }
        plan
    };
    spans.iter().enumerate().map(plan).collect()
}

fn targets(folder: &Path) -> Vec<PathBuf> {
    (0..3).map(|at| folder.join(format!("target{at}"))).collect()
}

fn outputs<'a>(plans: &'a [Plan], targets: &'a [PathBuf]) -> Vec<Output<'a>> {
    plans.iter().zip(targets).map(|(plan, target)| Output { plan, target }).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

const SOURCES: [&str; 3] = ["source0", "source1", "source2"];

#[test]
fn the_files_are_the_plans() {
    let folder = tempfile::tempdir().unwrap();
    let (files, all) = sources(folder.path());
    let (plans, targets) = (plans(), targets(folder.path()));
    let joined = Joined::new(&files).unwrap();
    let mut seen = Vec::new();
    save_all(&outputs(&plans, &targets), &joined, SYNCED, &mut |now| {
        seen.push(now);
        Ok(())
    })
    .unwrap();
    for (plan, target) in plans.iter().zip(&targets) {
        assert!(fs::read(target).unwrap() == plan.render(&all).unwrap(), "{}", target.display());
    }
    let total = plans.iter().map(Plan::len).sum::<u64>();
    assert!(seen.is_sorted_by_key(|now| now.done) && seen.iter().all(|now| now.total == total));
    assert_eq!(seen.last().unwrap().done, total);
    // All are whole before the first is named.
    let stages: Vec<_> = seen.iter().map(|now| now.stage).collect();
    let place = stages.iter().position(|stage| *stage == Stage::Place).unwrap();
    assert_eq!(
        &stages[place - 3..],
        [Stage::Sync, Stage::Sync, Stage::Sync, Stage::Place, Stage::SyncFolder]
    );
}

#[test]
fn what_gives_nothing_up_may_leave_the_syncing_to_the_system() {
    let folder = tempfile::tempdir().unwrap();
    let (files, all) = sources(folder.path());
    let (plans, targets) = (plans(), targets(folder.path()));
    let joined = Joined::new(&files).unwrap();
    let stages = |terms: Terms| {
        let mut stages = Vec::new();
        save_all(&outputs(&plans, &targets), &joined, terms, &mut |now| {
            stages.push(now.stage);
            Ok(())
        })
        .unwrap();
        for (plan, target) in plans.iter().zip(&targets) {
            assert!(fs::read(target).unwrap() == plan.render(&all).unwrap(), "{}", target.display());
        }
        stages
    };
    let lazily = stages(Terms { replace: true, sync: false });
    assert!(!lazily.contains(&Stage::Sync) && lazily.ends_with(&[Stage::Place]), "{lazily:?}");
    // One of the three is there: what it holds would be lost with what replaces it.
    for gone in &targets[1..] {
        fs::remove_file(gone).unwrap();
    }
    let replacing = stages(Terms { replace: true, sync: false });
    assert_eq!(replacing.iter().filter(|stage| **stage == Stage::Sync).count(), 3);
    assert!(replacing.ends_with(&[Stage::Place, Stage::SyncFolder]), "{replacing:?}");
}

#[test]
fn stopped_at_any_step_none_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let (files, _) = sources(folder.path());
    let (plans, targets) = (plans(), targets(folder.path()));
    let joined = Joined::new(&files).unwrap();
    for step in 0.. {
        let mut at = 0;
        let result = save_all(&outputs(&plans, &targets), &joined, SYNCED, &mut |_| {
            at += 1;
            if at > step { Err(io::Error::other("stopped")) } else { Ok(()) }
        });
        match result {
            Err(SinkError::Stopped(_)) => assert_eq!(names(folder.path()), SOURCES, "step {step}"),
            // All are in their places and whole by then.
            Err(SinkError::NotDurable { .. }) => {
                assert_eq!(names(folder.path()).len(), 6);
                break;
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A file that appears at the place of the last one when the others are whole.
#[test]
fn where_one_cannot_be_named_none_is() {
    let folder = tempfile::tempdir().unwrap();
    let (files, _) = sources(folder.path());
    let (plans, targets) = (plans(), targets(folder.path()));
    let joined = Joined::new(&files).unwrap();
    let error = save_all(&outputs(&plans, &targets), &joined, SYNCED, &mut |now| match now.stage {
        Stage::Place => fs::write(&targets[2], b"another's"),
        _ => Ok(()),
    });
    assert!(matches!(error, Err(SinkError::Exists(path)) if path == targets[2]));
    assert_eq!(names(folder.path()), [&SOURCES[..], &["target2"]].concat());
    assert_eq!(fs::read(&targets[2]).unwrap(), b"another's");
    // The same target twice: the second finds the first, which goes again.
    let twice = [targets[0].clone(), targets[1].clone(), targets[0].clone()];
    let error = save_all(&outputs(&plans, &twice), &joined, SYNCED, &mut unwatched);
    assert!(matches!(error, Err(SinkError::Exists(path)) if path == targets[0]));
    assert_eq!(names(folder.path()), [&SOURCES[..], &["target2"]].concat());
}

#[test]
fn none_of_the_sources_is_a_target() {
    let folder = tempfile::tempdir().unwrap();
    let (files, all) = sources(folder.path());
    let (plans, mut targets) = (plans(), targets(folder.path()));
    let joined = Joined::new(&files).unwrap();
    let mut names_of_last = vec![folder.path().join("source2"), folder.path().join("./source2")];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("source2", folder.path().join("soft")).unwrap();
        fs::hard_link(folder.path().join("source2"), folder.path().join("hard")).unwrap();
        names_of_last.extend(["soft", "hard"].map(|name| folder.path().join(name)));
    }
    for name in names_of_last {
        targets[1] = name.clone();
        let error = save_all(
            &outputs(&plans, &targets),
            &joined,
            Terms { replace: true, sync: true },
            &mut unwatched,
        );
        assert!(matches!(error, Err(SinkError::IsSource(path)) if path == name));
        let read: Vec<u8> =
            SOURCES.iter().flat_map(|name| fs::read(folder.path().join(name)).unwrap()).collect();
        assert!(read == all && !targets[0].exists());
    }
}

/// A source that shrinks under the reading is an error, and what follows it does not move up.
#[test]
fn a_source_that_shrinks_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (files, _) = sources(folder.path());
    let (plans, targets) = (plans(), targets(folder.path()));
    let joined = Joined::new(&files).unwrap();
    fs::OpenOptions::new().write(true).open(folder.path().join("source1")).unwrap().set_len(1000).unwrap();
    let error = save_all(&outputs(&plans, &targets), &joined, SYNCED, &mut unwatched);
    assert!(matches!(error, Err(SinkError::Ended { .. })), "{error:?}");
    assert_eq!(names(folder.path()), SOURCES);
}

#[test]
fn a_file_is_compared_with_its_plan_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let (files, all) = sources(folder.path());
    let joined = Joined::new(&files).unwrap();
    let plan = &plans()[1];
    let target = folder.path().join("target");
    let right = plan.render(&all).unwrap();
    let check = |bytes: &[u8]| {
        fs::write(&target, bytes).unwrap();
        compare(plan, &joined, &FileSource::open(&target).unwrap(), &mut unwatched)
    };
    check(&right).unwrap();
    for at in [0, 5, 6, 50_005, 50_006, 200_000, right.len() - 4, right.len() - 1] {
        let mut wrong = right.clone();
        wrong[at] ^= 1;
        let result = check(&wrong);
        assert!(matches!(result, Err(Differs::Bytes(span)) if span.contains(at as u64)), "{at}: {result:?}");
    }
    assert!(matches!(check(&right[1..]), Err(Differs::Length { .. })));
    assert!(matches!(check(&[&right[..], b"0"].concat()), Err(Differs::Length { .. })));
}
