//! Runs that were ended early, continued; and what stands in their way.

use super::*;
use crate::sink::{Progress, Terms, save_or_resume, unwatched};
use std::cell::Cell;

const TERMS: Terms = Terms { replace: false, sync: true };

struct Case {
    folder: tempfile::TempDir,
    plan: Plan,
    sections: Vec<Section>,
    whole: Vec<u8>,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let content: Vec<u8> =
            (0..3_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        fs::write(folder.path().join("in"), &content).unwrap();
        let mut plan = Plan::new();
        plan.literal(b"head").unwrap();
        let mut sections = Vec::new();
        for (start, len) in [(2_000_000, 1_000_000), (10, 70_001), (500_000, 1_400_000), (80_000, 3)] {
            let from = Span::new(start, len);
            plan.copy(from).unwrap();
            sections.push(Section { end: plan.len(), from });
            plan.zeros(5).unwrap();
        }
        let whole = plan.render(&content).unwrap();
        Self { folder, plan, sections, whole }
    }

    fn run(&self, settings: &[u8], watch: &mut super::super::Watch<'_>) -> Result<u64, SinkError> {
        let source = FileSource::open(self.folder.path().join("in")).unwrap();
        let target = self.target();
        let outputs = [Output { plan: &self.plan, target: &target }];
        let resume = Resume { settings, name: "s", beside: &[], sections: &[&self.sections] };
        save_or_resume(&outputs, &source, TERMS, Some(&resume), watch).map(|saved| saved.taken)
    }

    fn target(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn stop_after(steps: usize) -> impl FnMut(Progress) -> io::Result<()> {
    let left = Cell::new(steps);
    move |_| match left.get().checked_sub(1) {
        Some(rest) => {
            left.set(rest);
            Ok(())
        }
        None => Err(io::ErrorKind::Interrupted.into()),
    }
}

#[test]
fn what_an_interrupted_run_did_not_leave_is_not_written_to() {
    let case = Case::new();
    let input = fs::read(case.folder.path().join("in")).unwrap();
    for beside in [".out.resume", ".out.resume.log"] {
        let beside = case.folder.path().join(beside);
        // The input by another name, a text of somebody's.
        fs::hard_link(case.folder.path().join("in"), &beside).unwrap();
        case.run(b"", &mut unwatched).unwrap_err();
        assert_eq!(fs::read(case.folder.path().join("in")).unwrap(), input);
        fs::remove_file(&beside).unwrap();
        fs::write(&beside, "notes").unwrap();
        case.run(b"", &mut unwatched).unwrap_err();
        assert_eq!(fs::read(&beside).unwrap(), b"notes");
        fs::remove_file(&beside).unwrap();
    }
    assert_eq!(case.names(), ["in"]);
    case.run(b"", &mut unwatched).unwrap();
}

#[test]
fn stopped_at_any_step_and_continued_it_is_the_same_file() {
    let mut took_some = false;
    for steps in 0.. {
        let case = Case::new();
        if case.run(b"s", &mut stop_after(steps)).is_ok() {
            assert!(steps > 5);
            assert!(took_some);
            return;
        }
        // After the name is given nothing is left to do but to make it durable.
        if !case.target().exists() {
            let expected: &[&str] =
                if steps == 0 { &["in"] } else { &[".out.resume", ".out.resume.log", "in"] };
            assert_eq!(case.names(), expected);
            took_some |= case.run(b"s", &mut unwatched).unwrap() > 0;
        }
        assert!(fs::read(case.target()).unwrap() == case.whole, "{steps}");
        assert_eq!(case.names(), ["in", "out"], "{steps}");
    }
}

#[test]
fn what_does_not_prove_itself_is_written_anew() {
    type Harm = fn(&Case);
    let harms: [(&str, &[u8], Harm); 4] = [
        ("a byte that was written", b"s", |case| {
            let path = case.folder.path().join(".out.resume");
            let mut bytes = fs::read(&path).unwrap();
            bytes[1_000_020] ^= 1;
            fs::write(&path, bytes).unwrap();
        }),
        ("the end that was written", b"s", |case| {
            let file = OpenOptions::new().write(true).open(case.folder.path().join(".out.resume")).unwrap();
            file.set_len(1_000_100).unwrap();
        }),
        ("the list", b"s", |case| {
            let path = case.folder.path().join(".out.resume.log");
            let mut bytes = fs::read(&path).unwrap();
            let last = bytes.len() - 1;
            bytes.truncate(last);
            fs::write(&path, bytes).unwrap();
        }),
        ("no file", b"s", |case| fs::remove_file(case.folder.path().join(".out.resume")).unwrap()),
    ];
    for (what, settings, harm) in harms {
        let case = Case::new();
        case.run(b"s", &mut stop_after(2)).unwrap_err();
        harm(&case);
        let taken = case.run(settings, &mut unwatched).unwrap();
        assert!(taken <= 1_000_004, "{what}: {taken}");
        assert!(fs::read(case.target()).unwrap() == case.whole, "{what}");
    }
    // Without its list it may be anybody's.
    let case = Case::new();
    case.run(b"s", &mut stop_after(2)).unwrap_err();
    fs::remove_file(case.folder.path().join(".out.resume.log")).unwrap();
    let kept = fs::read(case.folder.path().join(".out.resume")).unwrap();
    case.run(b"s", &mut unwatched).unwrap_err();
    assert!(fs::read(case.folder.path().join(".out.resume")).unwrap() == kept);
    // A source that has changed since.
    let case = Case::new();
    case.run(b"s", &mut stop_after(2)).unwrap_err();
    let path = case.folder.path().join("in");
    let mut bytes = fs::read(&path).unwrap();
    bytes[2_000_000] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let kept =
        || [".out.resume", ".out.resume.log"].map(|name| fs::read(case.folder.path().join(name)).unwrap());
    let before = kept();
    let Err(SinkError::LeftByOther(left)) = case.run(b"s", &mut unwatched) else { panic!("it was written") };
    assert_eq!((left.other, left.bytes), (OtherRun::Source, before[0].len() as u64));
    assert!(kept() == before);
    for path in &left.paths {
        fs::remove_file(path).unwrap();
    }
    assert_eq!(case.run(b"s", &mut unwatched).unwrap(), 0);
    assert!(fs::read(case.target()).unwrap() == case.plan.render(&bytes).unwrap());
}

#[test]
fn a_file_that_is_there_is_kept_and_so_is_what_was_made() {
    let case = Case::new();
    case.run(b"s", &mut stop_after(3)).unwrap_err();
    let kept =
        || [".out.resume", ".out.resume.log"].map(|name| fs::read(case.folder.path().join(name)).unwrap());
    let before = kept();
    assert!(before[0].len() > 1_000_000 && before[1].starts_with(MAGIC.as_bytes()));
    fs::write(case.target(), b"theirs").unwrap();
    assert!(matches!(case.run(b"s", &mut unwatched), Err(SinkError::Exists(_))));
    assert_eq!(fs::read(case.target()).unwrap(), b"theirs");
    assert!(kept() == before);
    fs::remove_file(case.target()).unwrap();
    assert!(case.run(b"s", &mut unwatched).unwrap() >= 1_000_000);
}

/// The same file twice, as the shards of a set are; stopped before the second has its name.
fn pair(case: &Case, settings: &[u8], watch: &mut super::super::Watch<'_>) -> Result<u64, SinkError> {
    let source = FileSource::open(case.folder.path().join("in")).unwrap();
    let targets = ["one", "two"].map(|name| case.folder.path().join(name));
    let outputs = targets.each_ref().map(|target| Output { plan: &case.plan, target });
    let resume = Resume { settings, name: "s", beside: &[], sections: &[&case.sections, &case.sections] };
    save_or_resume(&outputs, &source, TERMS, Some(&resume), watch).map(|saved| saved.taken)
}

#[test]
fn a_file_that_has_its_name_is_one_of_those_that_were_asked_for_if_its_list_says_so() {
    // What a run leaves that is killed between two names: all is written, the first has its name, lists are there.
    let left = |harm: &dyn Fn(&Path)| {
        let case = Case::new();
        let stop = |now: Progress| match now.stage {
            Stage::Place => Err(io::ErrorKind::Interrupted.into()),
            _ => Ok(()),
        };
        pair(&case, b"s", &mut { stop }).unwrap_err();
        fs::rename(case.folder.path().join(".one.resume"), case.folder.path().join("one")).unwrap();
        harm(case.folder.path());
        case
    };
    let case = left(&|_| {});
    let [one, two] = ["one", "two"].map(|name| case.folder.path().join(name));
    assert_eq!(left_of(&one), Left { bytes: case.plan.len(), is_placed: true, kept: None });
    assert!(!left_of(&two).is_placed);
    // With other settings it is somebody's file.
    assert!(matches!(pair(&case, b"t", &mut unwatched), Err(SinkError::Exists(_))));
    let id = FileId::at(&one).unwrap();
    let all = case.plan.len();
    let taken = pair(&case, b"s", &mut unwatched).unwrap();
    assert!(taken > all + all / 2, "{taken} of {all} twice");
    assert_eq!(FileId::at(&one).unwrap(), id);
    assert!(fs::read(&two).unwrap() == case.whole);
    assert_eq!(case.names(), ["in", "one", "two"]);
    // Killed while it cleared up, and between giving the name and taking the other one away.
    let case = left(&|folder| {
        fs::rename(folder.join(".two.resume"), folder.join("two")).unwrap();
        fs::hard_link(folder.join("one"), folder.join(".one.resume")).unwrap();
    });
    assert_eq!(pair(&case, b"s", &mut unwatched).unwrap(), 2 * case.plan.len());
    assert_eq!(case.names(), ["in", "one", "two"]);
    // One that was changed by a byte, also behind the last section, or has no list, is not taken.
    type Harm<'a> = &'a dyn Fn(&Path);
    let flip = |folder: &Path, at: usize| {
        let mut bytes = fs::read(folder.join("one")).unwrap();
        let at = bytes.len() - at;
        bytes[at] ^= 1;
        fs::write(folder.join("one"), bytes).unwrap();
    };
    let harms: [Harm<'_>; 4] = [
        &|folder| flip(folder, 1),
        &|folder| flip(folder, 1_000_000),
        &|folder| fs::remove_file(folder.join(".one.resume.log")).unwrap(),
        &|folder| fs::write(folder.join("one"), b"").unwrap(),
    ];
    for harm in harms {
        let case = left(harm);
        assert!(matches!(pair(&case, b"s", &mut unwatched), Err(SinkError::Exists(_))));
    }
}

#[test]
fn what_stands_before_the_sections_is_looked_at_too() {
    let case = Case::new();
    case.run(b"s", &mut stop_after(3)).unwrap_err();
    let mut other = Plan::new();
    other.literal(b"tail").unwrap();
    case.plan.pieces().iter().skip(1).for_each(|piece| match piece {
        Piece::Copy(span) => other.copy(*span).unwrap(),
        Piece::Zeros(zeros) => other.zeros(*zeros).unwrap(),
        Piece::Literal(bytes) => other.literal(bytes).unwrap(),
    });
    let case = Case { plan: other, ..case };
    let Err(SinkError::LeftByOther(left)) = case.run(b"s", &mut unwatched) else { panic!("it was written") };
    assert_eq!(left.other, OtherRun::Between);
    for path in &left.paths {
        fs::remove_file(path).unwrap();
    }
    assert_eq!(case.run(b"s", &mut unwatched).unwrap(), 0);
    assert_eq!(fs::read(case.target()).unwrap().get(..4), Some(b"tail".as_slice()));
}

#[test]
fn what_was_left_by_another_run_is_neither_continued_nor_thrown_away() {
    let case = Case::new();
    case.run(b"s", &mut stop_after(3)).unwrap_err();
    let files =
        || [".out.resume", ".out.resume.log"].map(|name| fs::read(case.folder.path().join(name)).unwrap());
    let before = files();
    let kept = left_of(&case.target()).kept.unwrap();
    assert_eq!(kept.bytes, before[0].len() as u64);
    let refused = |settings: &[u8], beside: &[&FileSource]| {
        let source = FileSource::open(case.folder.path().join("in")).unwrap();
        let target = case.target();
        let outputs = [Output { plan: &case.plan, target: &target }];
        let resume = Resume { settings, name: "new", beside, sections: &[&case.sections] };
        let looked = look(&outputs, &source, &resume, false);
        let Err(SinkError::LeftByOther(left)) =
            save_or_resume(&outputs, &source, TERMS, Some(&resume), &mut unwatched)
        else {
            panic!("it was written")
        };
        assert!(matches!(looked, Err(SinkError::LeftByOther(looked)) if looked == left));
        assert!(files() == before);
        (left.name, left.other)
    };
    assert_eq!(refused(b"t", &[]), ("s".to_owned(), OtherRun::Settings));
    let beside = FileSource::open(case.folder.path().join("in")).unwrap();
    assert_eq!(refused(b"s", &[&beside]).1, OtherRun::Beside);
    // A list of an earlier version.
    fs::write(case.folder.path().join(".out.resume.log"), "ggufkit resume 1 0123\n4567 89ab\n").unwrap();
    let [_, list] = files();
    let before = [before[0].clone(), list];
    let source = FileSource::open(case.folder.path().join("in")).unwrap();
    let target = case.target();
    let outputs = [Output { plan: &case.plan, target: &target }];
    let resume = Resume { settings: b"s", name: "", beside: &[], sections: &[&case.sections] };
    let error = look(&outputs, &source, &resume, false).unwrap_err().to_string();
    assert!(error.contains("another version"), "{error}");
    assert!(files() == before);
    // Without a section nothing is lost.
    fs::write(case.folder.path().join(".out.resume.log"), "ggufkit resume 2 0 0 0 x\n").unwrap();
    assert_eq!(case.run(b"s", &mut unwatched).unwrap(), 0);
    assert!(fs::read(case.target()).unwrap() == case.whole);
}

#[test]
fn a_source_that_ends_early_is_told_as_the_source() {
    let case = Case::new();
    let path = case.folder.path().join("in");
    case.run(b"s", &mut stop_after(3)).unwrap_err();
    let source = FileSource::open(&path).unwrap();
    OpenOptions::new().write(true).open(&path).unwrap().set_len(400_000).unwrap();
    let section = Section { end: 1_000_004, from: Span::new(2_000_000, 1_000_000) };
    let found = made_of(&source, &section, &mut [0; 4096]);
    assert!(matches!(found, Err(Fault::Source(SinkError::Ended { read: 0, .. }))), "{found:?}");
    // One of those that decide beside it.
    let resume = Resume { settings: b"s", name: "s", beside: &[&source], sections: &[&case.sections] };
    let found = resume.mark(&case.plan, &source, &case.sections);
    assert!(matches!(found, Err(Fault::Source(SinkError::SourceChanged(_)))), "{found:?}");
    // And before anything was looked at.
    let error = case.run(b"s", &mut unwatched).unwrap_err();
    assert!(matches!(error, SinkError::Plan(_)), "{error:?}");
    assert!(!case.target().exists());
}

#[cfg(unix)]
#[test]
fn a_link_or_a_folder_beside_it_is_neither_followed_nor_taken_for_the_file() {
    for beside in [".out.resume", ".out.resume.log"] {
        for link in [true, false] {
            let case = Case::new();
            let beside = case.folder.path().join(beside);
            if link {
                std::os::unix::fs::symlink("in", &beside).unwrap();
            } else {
                fs::create_dir(&beside).unwrap();
            }
            let before = fs::read(case.folder.path().join("in")).unwrap();
            let error = case.run(b"s", &mut unwatched).unwrap_err();
            assert_eq!(error.path(), Some(beside.as_path()));
            assert!(error.to_string().contains("is no regular file"), "{error}");
            assert_eq!(case.names().len(), 2);
            assert!(fs::read(case.folder.path().join("in")).unwrap() == before);
        }
    }
}
