//! From arguments to inputs: which files a command is about, in which order.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::platform;
use crate::shards::{MemberName, ShardSet};
use crate::shown::Shown;

/// One thing to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Input {
    /// Standard input.
    Stdin,
    /// A file of its own.
    File(PathBuf),
    /// The files of one split model.
    Set(ShardSet),
}

/// How arguments are taken.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Expand {
    /// A file with more paths, one a line; `-` is standard input. A line is a path or a directory and nothing else: no
    /// `-`, no comments; empty lines are passed over, and so is a carriage return at a line's end.
    pub files_from: Option<OsString>,
    /// Whether the paths of that file end in NUL instead, taken byte for byte.
    pub nul: bool,
    /// Whether directories are searched with all that is below them.
    pub recursive: bool,
    /// Whether each shard is a file of its own.
    pub alone: bool,
}

/// What arguments came to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Expansion {
    /// What to read, in order.
    pub inputs: Vec<Input>,
    /// What was found in directories and left out.
    pub skipped: Vec<Skipped>,
}

/// Something in a directory that was left out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// What.
    pub path: PathBuf,
    /// Why.
    pub reason: SkipReason,
}

/// Why something in a directory was left out. Whatever is named as an argument is never left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SkipReason {
    /// Its name begins with a dot: a model, or a directory that would have been searched.
    Hidden,
    /// A download that is under way or was broken off: `.incomplete`, `.part` and the like.
    Unfinished,
    /// It is named like a model, and is no file: a link that leads nowhere, a pipe, a directory.
    NotAFile,
    /// A directory that was searched before, under another name.
    SeenBefore,
    /// A directory that cannot be listed.
    Unreadable(io::ErrorKind),
    /// A directory without a model in it.
    NoFiles,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", Shown(&self.path))?;
        match self.reason {
            SkipReason::Hidden => f.write_str("hidden, not read; name it to read it"),
            SkipReason::Unfinished => f.write_str("an unfinished download, not read; name it to read it"),
            SkipReason::NotAFile => f.write_str("not a file"),
            SkipReason::SeenBefore => f.write_str("searched already under another name"),
            SkipReason::Unreadable(kind) => write!(f, "cannot be listed: {kind}"),
            SkipReason::NoFiles => f.write_str("no .gguf file in this directory"),
        }
    }
}

/// Why arguments did not become inputs.
#[derive(Debug)]
#[non_exhaustive]
pub enum InputError {
    /// The list of paths cannot be read.
    List {
        /// The list, `-` for standard input.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A line of the list is not text, on a system where paths are.
    ListNotText {
        /// The list.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// A directory that was named cannot be listed.
    Directory {
        /// The directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard input was asked for twice, and can be read once.
    StdinTwice,
    /// Directories were named, and nothing in them is a model.
    NoFiles {
        /// The first of the directories.
        path: PathBuf,
        /// Whether it has directories below it that were not searched.
        deeper: bool,
        /// What was found there and left out.
        skipped: Vec<Skipped>,
    },
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List { path, source } => write!(f, "cannot read the list {}: {source}", Shown(path)),
            Self::ListNotText { path, line } => write!(f, "line {line} of {} is not UTF-8", Shown(path)),
            Self::Directory { path, source } => {
                write!(f, "cannot list the directory {}: {source}", Shown(path))
            }
            Self::StdinTwice => f.write_str("standard input can be read only once"),
            Self::NoFiles { path, deeper, skipped } => {
                write!(f, "no .gguf file in {}", Shown(path))?;
                if *deeper {
                    f.write_str("; the directories in it were not searched (--recursive searches them)")?;
                }
                if let Some(one) = skipped.iter().find(|s| s.reason != SkipReason::NoFiles) {
                    write!(f, "; left out: {one}")?;
                }
                Ok(())
            }
        }
    }
}

impl std::error::Error for InputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::List { source, .. } | Self::Directory { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// Turns arguments into inputs, in a fixed order: see [`expand_with_skipped`], which also says what was left out.
///
/// # Errors
/// See [`InputError`].
pub fn expand(args: &[OsString], how: &Expand) -> Result<Vec<Input>, InputError> {
    expand_with_skipped(args, how).map(|expansion| expansion.inputs)
}

/// Turns arguments into inputs, in a fixed order.
///
/// An argument is a path, `-` for standard input, or a directory, which stands for the `.gguf` files in it (upper or
/// lower case) sorted by name, followed, with [`Expand::recursive`], by those of each directory in it. Members of one shard set become one [`Input::Set`], at the place of the first of them,
/// unless [`Expand::alone`]. A path that does not exist stays in: opening it tells why.
///
/// # Errors
/// See [`InputError`].
pub fn expand_with_skipped(args: &[OsString], how: &Expand) -> Result<Expansion, InputError> {
    let mut walk = Walk { how, out: Expansion::default(), sets: HashSet::new(), empty: None };
    let mut stdin = false;
    let mut take_stdin =
        || if std::mem::replace(&mut stdin, true) { Err(InputError::StdinTwice) } else { Ok(()) };
    for arg in args {
        if arg == "-" {
            take_stdin()?;
            walk.out.inputs.push(Input::Stdin);
        } else {
            walk.path(PathBuf::from(arg))?;
        }
    }
    if let Some(list) = &how.files_from {
        if list == "-" {
            take_stdin()?;
        }
        for path in read_list(list, how.nul)? {
            walk.path(path)?;
        }
    }
    match (walk.out.inputs.is_empty(), walk.empty) {
        (true, Some((path, deeper))) => Err(InputError::NoFiles { path, deeper, skipped: walk.out.skipped }),
        _ => Ok(walk.out),
    }
}

/// Reads the paths of a list.
fn read_list(list: &OsStr, nul: bool) -> Result<Vec<PathBuf>, InputError> {
    let path = PathBuf::from(list);
    let mut bytes = Vec::new();
    let read = if list == "-" {
        io::stdin().lock().read_to_end(&mut bytes).map(|_| ())
    } else {
        std::fs::read(&path).map(|read| bytes = read)
    };
    if let Err(source) = read {
        return Err(InputError::List { path, source });
    }
    let bytes = if nul { &bytes[..] } else { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes) };
    let separator = if nul { b'\0' } else { b'\n' };
    let mut paths = Vec::new();
    for (line, entry) in (1..).zip(bytes.split(|&b| b == separator)) {
        let entry = if nul { entry } else { entry.strip_suffix(b"\r").unwrap_or(entry) };
        if entry.is_empty() {
            continue;
        }
        match platform::os_string(entry) {
            Some(entry) => paths.push(PathBuf::from(entry)),
            None => return Err(InputError::ListNotText { path, line }),
        }
    }
    Ok(paths)
}

/// The names of a directory, sorted by what they are.
#[derive(Default)]
struct Listing {
    /// Models, directories that are to be searched, and members of sets, by name.
    entries: BTreeMap<OsString, Entry>,
    deeper: bool,
}

enum Entry {
    File,
    Directory,
}

struct Walk<'h> {
    how: &'h Expand,
    out: Expansion,
    /// Sets that are in: directory, prefix, count.
    sets: HashSet<(PathBuf, String, u32)>,
    /// The first directory that gave nothing, and whether there is more below it.
    empty: Option<(PathBuf, bool)>,
}

impl Walk<'_> {
    fn skip(&mut self, path: PathBuf, reason: SkipReason) {
        self.out.skipped.push(Skipped { path, reason });
    }

    /// Takes a path that was named.
    fn path(&mut self, path: PathBuf) -> Result<(), InputError> {
        if path.is_dir() {
            return self.directory(path);
        }
        match self.new_set(&path) {
            Some(None) => {}
            // A set of which nothing is there is a wrong name: opening it tells so.
            Some(Some(_)) => match ShardSet::discover(&path) {
                Some(set) if set.present().len() > 0 => self.out.inputs.push(Input::Set(set)),
                _ => self.out.inputs.push(Input::File(path)),
            },
            None => self.out.inputs.push(Input::File(path)),
        }
        Ok(())
    }

    /// `None` when `path` is no member of a set (or is to be taken alone), `Some(None)` when its set is in already.
    fn new_set(&mut self, path: &Path) -> Option<Option<MemberName>> {
        if self.how.alone {
            return None;
        }
        let name = MemberName::parse(path.file_name()?)?;
        let directory = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let is_new = self.sets.insert((directory, name.prefix.clone(), name.count));
        Some(is_new.then_some(name))
    }

    /// Takes a directory that was named, with what is below it where that is asked for.
    fn directory(&mut self, top: PathBuf) -> Result<(), InputError> {
        let before = self.out.inputs.len();
        let mut visited = BTreeSet::new();
        // Depth first, without recursion: a tree of directories can be deeper than a stack.
        let mut todo = vec![top.clone()];
        let mut deeper = false;
        while let Some(path) = todo.pop() {
            let is_top = path == top;
            let listing =
                std::fs::metadata(&path).and_then(|metadata| platform::identity(&metadata, &path)).and_then(
                    |identity| {
                        if visited.insert(identity) { self.list(&path).map(Some) } else { Ok(None) }
                    },
                );
            match listing {
                Err(source) if is_top => return Err(InputError::Directory { path, source }),
                Err(source) => self.skip(path, SkipReason::Unreadable(source.kind())),
                Ok(None) => self.skip(path, SkipReason::SeenBefore),
                Ok(Some(listing)) => {
                    deeper |= listing.deeper;
                    self.take(&path, listing, &mut todo);
                }
            }
        }
        if self.out.inputs.len() == before {
            self.skip(top.clone(), SkipReason::NoFiles);
            self.empty.get_or_insert((top, deeper && !self.how.recursive));
        }
        Ok(())
    }

    /// Sorts the names of one directory.
    fn list(&mut self, directory: &Path) -> io::Result<Listing> {
        let mut listing = Listing::default();
        let mut skipped = Vec::new();
        for entry in std::fs::read_dir(directory)? {
            let entry = entry?;
            let name = entry.file_name();
            let bytes = name.as_encoded_bytes();
            let is_model = has_suffix(bytes, b".gguf");
            let kind = entry.file_type()?;
            let (is_dir, is_file) = if kind.is_symlink() {
                let target = std::fs::metadata(entry.path());
                target.map_or((false, false), |target| (target.is_dir(), target.is_file()))
            } else {
                (kind.is_dir(), kind.is_file())
            };
            listing.deeper |= is_dir;
            let hidden = bytes.starts_with(b".");
            let reason = if is_dir && self.how.recursive {
                hidden.then_some(SkipReason::Hidden)
            } else if is_unfinished(bytes) && is_file {
                Some(SkipReason::Unfinished)
            } else if !is_model {
                continue;
            } else if hidden {
                Some(SkipReason::Hidden)
            } else {
                (!is_file).then_some(SkipReason::NotAFile)
            };
            match reason {
                Some(reason) => skipped.push(Skipped { path: entry.path(), reason }),
                None => {
                    listing.entries.insert(name, if is_dir { Entry::Directory } else { Entry::File });
                }
            }
        }
        // A system lists names in any order.
        skipped.sort_by(|a, b| a.path.cmp(&b.path));
        self.out.skipped.append(&mut skipped);
        Ok(listing)
    }

    /// Takes the files of one directory in; its directories are left to do.
    fn take(&mut self, directory: &Path, listing: Listing, todo: &mut Vec<PathBuf>) {
        let path = |name: &OsStr| {
            // Names in the current directory are shown as people write them, without `./`.
            if directory == Path::new(".") { PathBuf::from(name) } else { directory.join(name) }
        };
        // Members by set, from the names at hand: no further look at the directory, however many sets there are.
        let mut members: BTreeMap<(String, u32), Vec<u32>> = BTreeMap::new();
        if !self.how.alone {
            for name in listing.entries.iter().filter(|(_, e)| matches!(e, Entry::File)).map(|(name, _)| name)
            {
                if let Some(name) = MemberName::parse(name) {
                    members.entry((name.prefix, name.count)).or_default().push(name.no);
                }
            }
        }
        let mut later = Vec::new();
        for (name, entry) in listing.entries {
            let path = path(&name);
            if matches!(entry, Entry::Directory) {
                later.push(path);
                continue;
            }
            match self.new_set(&path) {
                Some(None) => {}
                Some(Some(name)) => {
                    let mut set = ShardSet::empty(path, &name);
                    for no in members.remove(&(name.prefix, name.count)).unwrap_or_default() {
                        set.add(no);
                    }
                    self.out.inputs.push(Input::Set(set));
                }
                None => self.out.inputs.push(Input::File(path)),
            }
        }
        todo.extend(later.into_iter().rev());
    }
}

fn has_suffix(name: &[u8], suffix: &[u8]) -> bool {
    name.len() >= suffix.len()
        && name.get(name.len() - suffix.len()..).is_some_and(|end| end.eq_ignore_ascii_case(suffix))
}

/// Whether a name is one that downloaders give to a model that is not all there.
fn is_unfinished(name: &[u8]) -> bool {
    let suffixes: [&[u8]; 7] =
        [b".incomplete", b".part", b".partial", b".crdownload", b".download", b".aria2", b".tmp"];
    suffixes.iter().any(|suffix| {
        has_suffix(name, suffix)
            // Caches name unfinished downloads by a hash; elsewhere the model's name is still in front.
            && (*suffix == b".incomplete"
                || name.to_ascii_lowercase().windows(5).any(|window| window == b".gguf"))
    })
}
