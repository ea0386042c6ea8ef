//! Whether the heads of a shard set agree.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};

use ggufkit_format::{AlignmentSource, View, shorten};

use crate::shards::ShardSet;
use crate::shown::Shown;

/// Problems of one kind that are told one by one; the rest is counted.
const TOLD: usize = 32;

/// The head of one shard.
#[derive(Clone, Copy, Debug)]
pub struct ShardPart<'a> {
    /// Where it was read from.
    pub path: &'a Path,
    /// What was read.
    pub view: View<'a>,
}

/// What keeps files from being one set.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ShardProblem {
    /// A member is not there.
    Missing {
        /// Its number in the name, from 1.
        no: u32,
        /// Number of members.
        count: u32,
        /// Where it should be.
        path: PathBuf,
    },
    /// More members are not there.
    MoreMissing {
        /// How many, beyond the ones that were named.
        more: u32,
        /// Number of members.
        count: u32,
    },
    /// A file in the place of a member has no split keys at all.
    NotAShard {
        /// The file.
        path: PathBuf,
    },
    /// A split key is missing, or is no integer that can be a count.
    BadKey {
        /// The file.
        path: PathBuf,
        /// The key.
        key: &'static str,
    },
    /// `split.no` is not the shard's place, which counts from 0.
    Position {
        /// The file.
        path: PathBuf,
        /// `split.no`.
        found: u64,
        /// The number that the place asks for.
        expected: u64,
    },
    /// `split.count` is not the number of members.
    Count {
        /// The file.
        path: PathBuf,
        /// `split.count`.
        found: u64,
        /// The number of members, by the names or by the files that were given.
        expected: u64,
    },
    /// Members disagree on `split.tensors.count`.
    TensorCounts {
        /// The file that differs.
        path: PathBuf,
        /// Its `split.tensors.count`.
        found: u64,
        /// The file that it differs from.
        first: PathBuf,
        /// `split.tensors.count` there.
        expected: u64,
    },
    /// All members are there, and their tensors are not as many as `split.tensors.count` says.
    TensorTotal {
        /// The file that holds the count.
        path: PathBuf,
        /// `split.tensors.count`.
        declared: u64,
        /// Tensors in all members.
        found: u64,
    },
    /// Two members hold a tensor of the same name.
    DuplicateTensor {
        /// The name.
        name: Vec<u8>,
        /// The member that has it first.
        first: PathBuf,
        /// The member that has it again.
        path: PathBuf,
    },
    /// More tensors occur in two members.
    MoreDuplicates {
        /// How many, beyond the ones that were named.
        more: u64,
    },
    /// A member gives another `general.alignment` than the first one has. Each file is sound on its own; a merge moves
    /// the tensors.
    Alignment {
        /// The file that differs.
        path: PathBuf,
        /// Its alignment in bytes.
        found: u64,
        /// The first member.
        first: PathBuf,
        /// Its alignment in bytes.
        expected: u64,
    },
    /// Members give different `general.architecture`s.
    Architecture {
        /// The file that differs.
        path: PathBuf,
        /// Its architecture.
        found: Vec<u8>,
        /// The file that it differs from.
        first: PathBuf,
        /// The architecture there.
        expected: Vec<u8>,
    },
    /// Members have different byte orders.
    ByteOrder {
        /// The file that differs.
        path: PathBuf,
        /// The file that it differs from.
        first: PathBuf,
    },
}

impl ShardProblem {
    /// A short stable word, for programs.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "shard-missing",
            Self::MoreMissing { .. } => "shards-missing",
            Self::NotAShard { .. } => "not-a-shard",
            Self::BadKey { .. } => "split-key",
            Self::Position { .. } => "split-no",
            Self::Count { .. } => "split-count",
            Self::TensorCounts { .. } => "split-tensor-counts",
            Self::TensorTotal { .. } => "split-tensor-total",
            Self::DuplicateTensor { .. } => "duplicate-tensor",
            Self::MoreDuplicates { .. } => "duplicate-tensors",
            Self::Alignment { .. } => "alignment-differs",
            Self::Architecture { .. } => "architecture-differs",
            Self::ByteOrder { .. } => "byte-order-differs",
        }
    }

    /// Whether the files cannot be taken as one model as they are. Different alignments can: a merge pads anew.
    #[must_use]
    pub const fn is_fatal(&self) -> bool {
        !matches!(self, Self::Alignment { .. })
    }

    /// The file that the problem is about, where it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Missing { path, .. }
            | Self::NotAShard { path }
            | Self::BadKey { path, .. }
            | Self::Position { path, .. }
            | Self::Count { path, .. }
            | Self::TensorCounts { path, .. }
            | Self::TensorTotal { path, .. }
            | Self::DuplicateTensor { path, .. }
            | Self::Alignment { path, .. }
            | Self::Architecture { path, .. }
            | Self::ByteOrder { path, .. } => Some(path),
            Self::MoreMissing { .. } | Self::MoreDuplicates { .. } => None,
        }
    }
}

impl fmt::Display for ShardProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { no, count, path } => {
                write!(f, "shard {no} of {count} is missing: {}", Shown(path))
            }
            Self::MoreMissing { more, count } => write!(f, "{more} more of {count} shards are missing"),
            Self::NotAShard { path } => {
                write!(f, "{} is no shard: it has no split.no and no split.count", Shown(path))
            }
            Self::BadKey { path, key } => {
                write!(f, "{}: {key} is missing or is not an integer from 0 up", Shown(path))
            }
            Self::Position { path, found, expected } => write!(
                f,
                "{}: split.no is {found}, but the file's place is {expected} (split.no counts from 0)",
                Shown(path)
            ),
            Self::Count { path, found, expected } => {
                write!(f, "{}: split.count is {found}, but the set has {expected} members", Shown(path))
            }
            Self::TensorCounts { path, found, first, expected } => write!(
                f,
                "{}: split.tensors.count is {found}, but {expected} in {}",
                Shown(path),
                Shown(first)
            ),
            Self::TensorTotal { path, declared, found } => write!(
                f,
                "{}: split.tensors.count is {declared}, but the members hold {found} tensors together",
                Shown(path)
            ),
            Self::DuplicateTensor { name, first, path } => write!(
                f,
                "tensor \"{}\" is in {} and again in {}",
                shorten(name, 80),
                Shown(first),
                Shown(path)
            ),
            Self::MoreDuplicates { more } => write!(f, "{more} more tensors are in two members"),
            Self::Alignment { path, found, first, expected } => write!(
                f,
                "{}: general.alignment is {found}, but the alignment of {} is {expected}",
                Shown(path),
                Shown(first)
            ),
            Self::Architecture { path, found, first, expected } => write!(
                f,
                "{}: general.architecture is \"{}\", but \"{}\" in {}",
                Shown(path),
                shorten(found, 80),
                shorten(expected, 80),
                Shown(first)
            ),
            Self::ByteOrder { path, first } => {
                write!(f, "{} and {} have different byte orders", Shown(path), Shown(first))
            }
        }
    }
}

/// Compares files that are said to be all members of one set, in this order, whatever their names are.
#[must_use]
pub fn check_shards(parts: &[ShardPart<'_>]) -> Vec<ShardProblem> {
    check(parts, None)
}

/// A part with its place in the set, from 0.
#[derive(Clone, Copy)]
struct Placed<'a> {
    part: ShardPart<'a>,
    place: Option<u64>,
}

pub(super) fn check(parts: &[ShardPart<'_>], set: Option<&ShardSet>) -> Vec<ShardProblem> {
    let mut placed: Vec<Placed<'_>> = (0..)
        .zip(parts)
        .map(|(at, part)| match set {
            None => Placed { part: *part, place: Some(at) },
            Some(set) => Placed {
                part: *part,
                place: set.number_of(part.path).map(|no| u64::from(no).saturating_sub(1)),
            },
        })
        .collect();
    placed.sort_by_key(|placed| placed.place.unwrap_or(u64::MAX));
    let count = set.map_or(parts.len() as u64, |set| set.count().into());

    let mut problems = Vec::new();
    if let Some(set) = set {
        missing(set, &mut problems);
    }
    let shards = split_keys(&placed, count, &mut problems);
    let complete = placed.len() as u64 == count && placed.iter().all(|p| p.part.view.index().is_complete());
    tensor_counts(&shards, &placed, complete, &mut problems);
    agreement(&placed, &mut problems);
    duplicates(&placed, &mut problems);
    problems
}

fn missing(set: &ShardSet, problems: &mut Vec<ShardProblem>) {
    let count = set.count();
    let absent = set.members().filter(|member| !member.present).take(TOLD);
    problems.extend(absent.map(|member| ShardProblem::Missing { no: member.no, count, path: member.path }));
    let more = set.missing_count().saturating_sub(TOLD as u32);
    if more > 0 {
        problems.push(ShardProblem::MoreMissing { more, count });
    }
}

/// Compares `split.no` and `split.count` with the places; returns the parts that are shards, with their
/// `split.tensors.count`.
fn split_keys<'a>(
    placed: &[Placed<'a>],
    count: u64,
    problems: &mut Vec<ShardProblem>,
) -> Vec<(&'a Path, u64)> {
    const KEYS: [&str; 3] = ["split.no", "split.count", "split.tensors.count"];
    let mut shards = Vec::new();
    for Placed { part, place } in placed {
        let path = || part.path.to_path_buf();
        // Of a head that breaks off nothing that was not found is missing.
        let is_read = part.view.index().has_all_kvs();
        if is_read && KEYS.iter().all(|key| part.view.find(key).is_none()) {
            problems.push(ShardProblem::NotAShard { path: path() });
            continue;
        }
        // Writers use integers of different widths; the number is what counts.
        let [no, found, tensors] = KEYS.map(|key| {
            let value = part.view.get(key).and_then(|value| value.as_u64());
            if value.is_none() && (is_read || part.view.find(key).is_some()) {
                problems.push(ShardProblem::BadKey { path: path(), key });
            }
            value
        });
        if let (Some(found), Some(expected)) = (no, *place)
            && found != expected
        {
            problems.push(ShardProblem::Position { path: path(), found, expected });
        }
        if let Some(found) = found.filter(|found| *found != count) {
            problems.push(ShardProblem::Count { path: path(), found, expected: count });
        }
        shards.extend(tensors.map(|tensors| (part.path, tensors)));
    }
    shards
}

fn tensor_counts(
    shards: &[(&Path, u64)],
    placed: &[Placed<'_>],
    complete: bool,
    problems: &mut Vec<ShardProblem>,
) {
    let Some((first, expected)) = shards.first().copied() else { return };
    for (path, found) in shards.iter().copied().filter(|(_, found)| *found != expected) {
        problems.push(ShardProblem::TensorCounts {
            path: path.to_path_buf(),
            found,
            first: first.to_path_buf(),
            expected,
        });
    }
    let found = placed.iter().map(|p| p.part.view.index().tensors().len() as u64).sum();
    if complete && found != expected {
        problems.push(ShardProblem::TensorTotal { path: first.to_path_buf(), declared: expected, found });
    }
}

fn agreement(placed: &[Placed<'_>], problems: &mut Vec<ShardProblem>) {
    let Some(first) = placed.first().map(|p| p.part) else { return };
    let is_first_known = first.view.index().has_all_kvs()
        || !matches!(first.view.index().alignment_source(), AlignmentSource::Default);
    let mut architecture: Option<(&Path, &[u8])> = None;
    for Placed { part, .. } in placed {
        let (path, index) = (part.path, part.view.index());
        // Later shards usually leave the key out, and are then laid out by the default.
        let (found, expected) = (index.alignment(), first.view.index().alignment());
        if !matches!(index.alignment_source(), AlignmentSource::Default | AlignmentSource::Unusable(_))
            && is_first_known
            && found != expected
        {
            problems.push(ShardProblem::Alignment {
                path: path.to_path_buf(),
                found,
                first: first.path.to_path_buf(),
                expected,
            });
        }
        if index.header().endian != first.view.index().header().endian {
            problems
                .push(ShardProblem::ByteOrder { path: path.to_path_buf(), first: first.path.to_path_buf() });
        }
        let Some(ggufkit_format::Value::String(found)) = part.view.get("general.architecture") else {
            continue;
        };
        match architecture {
            None => architecture = Some((path, found.0)),
            Some((first, expected)) if expected != found.0 => problems.push(ShardProblem::Architecture {
                path: path.to_path_buf(),
                found: found.0.to_vec(),
                first: first.to_path_buf(),
                expected: expected.to_vec(),
            }),
            Some(_) => {}
        }
    }
}

fn duplicates(placed: &[Placed<'_>], problems: &mut Vec<ShardProblem>) {
    let mut seen: HashMap<&[u8], usize> = HashMap::new();
    let mut told = 0;
    let mut more = 0;
    for (at, Placed { part, .. }) in placed.iter().enumerate() {
        for (name, _) in part.view.tensors() {
            let first = *seen.entry(name.0).or_insert(at);
            // A name that occurs twice in one file is that file's own fault.
            if first == at {
                continue;
            }
            if told >= TOLD {
                more += 1;
                continue;
            }
            told += 1;
            problems.push(ShardProblem::DuplicateTensor {
                name: name.0.to_vec(),
                first: placed.get(first).map(|p| p.part.path.to_path_buf()).unwrap_or_default(),
                path: part.path.to_path_buf(),
            });
        }
    }
    if more > 0 {
        problems.push(ShardProblem::MoreDuplicates { more });
    }
}
