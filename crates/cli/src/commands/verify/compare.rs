//! The lines about one file against the file.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use ggufkit::digest::manifest::Subject;
use ggufkit::digest::{Algorithm, Digest, Hashes};
use ggufkit::io::ShardProblem;

use super::{Args, Entry, Group, NO_FILE, NO_TENSOR, Outcome};
use crate::args::{HowArgs, InputArgs};
use crate::commands::hash;
use crate::failure::Failed;
use crate::frame::{self, Document};
use crate::out::Out;

/// Settles all lines of a group.
pub(super) fn group(args: &Args, out: &mut Out, group: &Group, entries: &mut [Entry]) -> io::Result<()> {
    let (mut of_files, mut of_models) = (Vec::new(), Vec::new());
    for at in &group.entries {
        match entries.get(*at).map(|entry| &entry.line.subject) {
            Some(Subject::File(_)) => of_files.push(*at),
            Some(Subject::Model(_)) => of_models.push(*at),
            None => {}
        }
    }
    // A device or a pipe is hashed as it comes where somebody has named it: a list may name one that never ends. What is not
    // there, or is a folder, is not hashed.
    let there = if group.path.as_os_str() == "-" { Ok(()) } else { check(&group.path, args.file.is_some()) };
    if let Err(error) = there {
        for at in &group.entries {
            settle(entries, *at, || match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Outcome::NotFound(NO_FILE),
                _ => Outcome::Unreadable(error.to_string()),
            });
        }
        return Ok(());
    }
    if !of_files.is_empty() {
        let algorithms = wanted(entries, &of_files, |_| true);
        let digests = hash::file_digests(&group.path, &algorithms);
        for at in &of_files {
            let expected = expected(entries, *at);
            settle(entries, *at, || match &digests {
                Ok(digests) => {
                    judge(&expected, |a| digests.iter().find(|digest| digest.algorithm() == a).copied())
                }
                Err(error) => Outcome::Unreadable(error.to_string()),
            });
        }
    }
    if !of_models.is_empty() {
        let how = HowArgs { alone: args.alone, ..HowArgs::default() };
        let inputs = InputArgs { files: vec![group.path.clone().into_os_string()], how };
        let (mut seen, mut set) = (false, false);
        frame::each(out, &inputs, &args.read, true, |_, document| {
            (seen, set) = (true, document.parts.len() > 1 || !document.problems.is_empty());
            models(args, document, &of_models, entries);
            Ok(())
        })?;
        // Other tools take every member of a set for a model of its own: what fits that is no false alarm.
        let left: Vec<usize> = of_models
            .iter()
            .copied()
            .filter(|at| entries.get(*at).is_some_and(|entry| !matches!(entry.outcome, Outcome::Ok(_))))
            .collect();
        if set && !left.is_empty() {
            let how = HowArgs { alone: true, ..HowArgs::default() };
            let inputs = InputArgs { files: vec![group.path.clone().into_os_string()], how };
            let mut told: Vec<Outcome> = Vec::new();
            for at in &left {
                told.extend(entries.get_mut(*at).map(|entry| std::mem::take(&mut entry.outcome)));
            }
            frame::each(out, &inputs, &args.read, true, |_, document| {
                models(args, document, &left, entries);
                Ok(())
            })?;
            for (at, told) in left.iter().zip(told) {
                if let Some(entry) = entries.get_mut(*at)
                    && !matches!(entry.outcome, Outcome::Ok(_))
                {
                    entry.outcome = told;
                }
            }
        }
        if !seen {
            for at in &of_models {
                settle(entries, *at, || Outcome::Unreadable("it was not read".to_owned()));
            }
        }
    }
    Ok(())
}

fn check(path: &Path, named: bool) -> io::Result<()> {
    let there = path.metadata()?;
    match () {
        () if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        () if named || there.is_file() => Ok(()),
        () => Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file: name it to have it read")),
    }
}

fn settle(entries: &mut [Entry], at: usize, outcome: impl FnOnce() -> Outcome) {
    if let Some(entry) = entries.get_mut(at) {
        entry.outcome = outcome();
    }
}

fn expected(entries: &[Entry], at: usize) -> Vec<Digest> {
    entries.get(at).map(|entry| entry.line.expected.clone()).unwrap_or_default()
}

/// The algorithms of some lines.
fn wanted(entries: &[Entry], of: &[usize], is: impl Fn(&Entry) -> bool) -> Vec<Algorithm> {
    let lines = of.iter().filter_map(|at| entries.get(*at)).filter(|entry| is(entry));
    let all: BTreeSet<Algorithm> =
        lines.flat_map(|entry| &entry.line.expected).map(Digest::algorithm).collect();
    all.into_iter().collect()
}

/// Holds what was found against what is listed, one of which has to fit.
fn judge(expected: &[Digest], found: impl Fn(Algorithm) -> Option<Digest>) -> Outcome {
    let mut other = None;
    for digest in expected {
        match found(digest.algorithm()) {
            Some(found) if found == *digest => return Outcome::Ok(found),
            found => other = other.or(found),
        }
    }
    other.map_or_else(|| Outcome::Unreadable("it has no such digest".to_owned()), Outcome::Mismatch)
}

fn models(args: &Args, document: &Document<'_>, of: &[usize], entries: &mut [Entry]) {
    let layers: Vec<Algorithm> = wanted(entries, of, |entry| entry.tensor.is_some())
        .into_iter()
        .filter(|algorithm| *algorithm != Algorithm::Identity)
        .collect();
    let whole = wanted(entries, of, |entry| entry.tensor.is_none());
    let names: BTreeSet<Vec<u8>> = of.iter().filter_map(|at| entries.get(*at)?.tensor.clone()).collect();
    let hashed =
        hash::hash(document, &layers, &whole, Some(&|name| names.contains(name)), args.threads.count());
    let broken =
        document.failures.first().map(Failed::to_string).or_else(|| {
            document.problems.iter().find(|problem| problem.is_fatal()).map(ShardProblem::to_string)
        });
    let Some(hashes) = &hashed.hashes else {
        let why = hashed.refused.as_ref().map(ToString::to_string).or(broken).unwrap_or_default();
        for at in of {
            settle(entries, *at, || Outcome::Unreadable(why.clone()));
        }
        return;
    };
    let places = places(document, hashes, &names);
    for at in of {
        let expected = expected(entries, *at);
        let tensor = entries.get(*at).and_then(|entry| entry.tensor.as_deref());
        let outcome = match tensor {
            Some(name) => match places.get(name) {
                Some(places) => of_tensor(hashes, places, &expected),
                // It may be in what could not be read.
                None => match &broken {
                    Some(why) => Outcome::Unreadable(why.clone()),
                    None => Outcome::NotFound(NO_TENSOR),
                },
            },
            None => of_whole(&hashed, hashes, broken.as_deref(), &expected),
        };
        settle(entries, *at, || outcome);
    }
}

/// Where the tensors that are asked for stand; a name may stand there more than once.
fn places(
    document: &Document<'_>,
    hashes: &Hashes,
    names: &BTreeSet<Vec<u8>>,
) -> BTreeMap<Vec<u8>, Vec<usize>> {
    let tables: Vec<Vec<&[u8]>> = document
        .parts
        .iter()
        .filter_map(|part| part.view())
        .map(|view| view.tensors().map(|(name, _)| name.0).collect())
        .collect();
    let mut places: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    for (at, entry) in hashes.entries.iter().enumerate() {
        let name = tables.get(entry.part).and_then(|names| names.get(entry.tensor)).copied();
        if let Some(name) = name.filter(|name| names.contains(*name)) {
            places.entry(name.to_vec()).or_default().push(at);
        }
    }
    places
}

fn of_tensor(hashes: &Hashes, places: &[usize], expected: &[Digest]) -> Outcome {
    let mut last = Outcome::Unreadable("a tensor has no identity".to_owned());
    for place in places {
        let problem = hashes.entries.get(*place).and_then(|entry| entry.problem.as_ref());
        let outcome = match problem {
            Some(problem) => Outcome::Unreadable(problem.to_string()),
            None => judge(expected, |algorithm| hashes.layer(*place, algorithm).copied()),
        };
        if matches!(outcome, Outcome::Ok(_)) {
            return outcome;
        }
        last = outcome;
    }
    last
}

fn of_whole(hashed: &hash::Hashed, hashes: &Hashes, broken: Option<&str>, expected: &[Digest]) -> Outcome {
    let outcome = judge(expected, |algorithm| hashes.whole(algorithm).copied());
    if !matches!(outcome, Outcome::Unreadable(_)) {
        return outcome;
    }
    let bad = hashes.entries.iter().filter(|entry| entry.problem.is_some()).count();
    Outcome::Unreadable(match (broken, &hashed.partial) {
        (Some(why), _) => why.to_owned(),
        (None, _) if bad > 0 => format!("{bad} of its tensors cannot be hashed; `gguf hash` names them"),
        (None, Some(failure)) => failure.to_string(),
        (None, None) => "it has no such digest".to_owned(),
    })
}
