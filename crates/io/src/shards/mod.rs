//! Shard sets: which files make up one model.
//!
//! A set is known by its members' names, `<prefix>-00001-of-00009.gguf`, beside each other in one directory. This module
//! owns the finding of members; whether their heads agree is asked of [`ShardSet::check`].

mod check;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ggufkit_format::naming::{parse_shard_suffix, shard_name};

pub use check::{ShardPart, ShardProblem, check_shards};

/// Up to this many members are asked for one by one; for more of them the directory is listed once.
const FEW: u32 = 16;

/// The members of a model that is split over several files.
///
/// ```no_run
/// use ggufkit_io::ShardSet;
///
/// if let Some(set) = ShardSet::discover("model-00002-of-00003.gguf".as_ref()) {
///     for path in set.missing() {
///         eprintln!("{} is missing", path.display());
///     }
/// }
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardSet {
    given: PathBuf,
    prefix: String,
    count: u32,
    /// Number from 1, and path, of the members that are there.
    present: BTreeMap<u32, PathBuf>,
}

/// One member of a set, there or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ShardMember {
    /// Number in the name, from 1. The key `split.no` counts from 0.
    pub no: u32,
    /// Where it is, or would be.
    pub path: PathBuf,
    /// Whether a file is there.
    pub present: bool,
}

/// What the name of a member says.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct MemberName {
    pub(crate) prefix: String,
    pub(crate) count: u32,
    pub(crate) no: u32,
}

impl MemberName {
    /// Reads a file name; a set has at least two members.
    pub(crate) fn parse(name: &OsStr) -> Option<Self> {
        let suffix = parse_shard_suffix(name.to_str()?)?;
        (suffix.count > 1).then(|| Self {
            prefix: suffix.prefix.to_owned(),
            count: suffix.count,
            no: suffix.no,
        })
    }
}

impl ShardSet {
    /// The set that the file at `path` belongs to, by its name; `None` when the name is not that of a shard, is not
    /// UTF-8, or counts a single shard.
    ///
    /// Members are looked for beside the name as it is given: where it is a symbolic link, beside the link, since the
    /// files behind links often have other names. `path` itself need not exist. A set that claims many members costs one
    /// listing of the directory, not a look-up for each.
    #[must_use]
    pub fn discover(path: &Path) -> Option<Self> {
        let name = MemberName::parse(path.file_name()?)?;
        let mut set = Self::empty(path.to_path_buf(), &name);
        if name.count <= FEW {
            let all = 1..=name.count;
            set.present =
                all.map(|no| (no, set.member_path(no))).filter(|(_, path)| path.is_file()).collect();
            return Some(set);
        }
        let directory = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        // A directory that may be entered but not listed still has the file that was named.
        let listing = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let names = listing.map(|entry| entry.file_name());
        for other in names.filter_map(|entry| MemberName::parse(&entry)) {
            if (&other.prefix, other.count) == (&set.prefix, set.count) {
                set.add(other.no);
            }
        }
        set.add(name.no);
        Some(set)
    }

    /// A set of which nothing is known to be there.
    pub(crate) fn empty(given: PathBuf, name: &MemberName) -> Self {
        Self { given, prefix: name.prefix.clone(), count: name.count, present: BTreeMap::new() }
    }

    /// Takes a member in, when a file is there; a link that leads nowhere is none.
    pub(crate) fn add(&mut self, no: u32) {
        let path = self.member_path(no);
        if path.is_file() {
            self.present.insert(no, path);
        }
    }

    fn member_path(&self, no: u32) -> PathBuf {
        self.given.with_file_name(shard_name(&self.prefix, no, self.count))
    }

    /// The path from which the set was found.
    #[must_use]
    pub fn given(&self) -> &Path {
        &self.given
    }

    /// What stands before the shards' numbers in their names; may be empty.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Number of members according to the names, at most 99999.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Whether every member is there.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing_count() == 0
    }

    /// The members that are there, in order.
    pub fn present(&self) -> impl ExactSizeIterator<Item = &Path> {
        self.present.values().map(PathBuf::as_path)
    }

    /// The members that are there with their numbers from 1, in order.
    pub fn numbered(&self) -> impl ExactSizeIterator<Item = (u32, &Path)> {
        self.present.iter().map(|(no, path)| (*no, path.as_path()))
    }

    /// The paths where members are missing, in order.
    pub fn missing(&self) -> impl Iterator<Item = PathBuf> {
        self.members().filter(|member| !member.present).map(|member| member.path)
    }

    /// Number of members that are missing.
    #[must_use]
    pub fn missing_count(&self) -> u32 {
        self.count.saturating_sub(u32::try_from(self.present.len()).unwrap_or(u32::MAX))
    }

    /// All members from 1 to the count, there or not. Nothing is looked up: this is what was found before.
    pub fn members(&self) -> impl Iterator<Item = ShardMember> {
        (1..=self.count).map(|no| match self.present.get(&no) {
            Some(path) => ShardMember { no, path: path.clone(), present: true },
            None => ShardMember { no, path: self.member_path(no), present: false },
        })
    }

    /// The number of the member at `path`, from 1.
    #[must_use]
    pub fn number_of(&self, path: &Path) -> Option<u32> {
        let name = MemberName::parse(path.file_name()?)?;
        (name.prefix == self.prefix && name.count == self.count).then_some(name.no)
    }

    /// Compares the heads of the members with each other and with their names. `parts` are the members whose heads could
    /// be read, in any order; heads that were not read to their end count for what they have.
    #[must_use]
    pub fn check(&self, parts: &[ShardPart<'_>]) -> Vec<ShardProblem> {
        check::check(parts, Some(self))
    }
}
