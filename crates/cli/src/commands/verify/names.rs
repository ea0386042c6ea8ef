//! Which file a line of a list is about, and which tensor of it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ggufkit::digest::manifest::{Line, Subject, splits};

use super::{Entry, Outcome};

/// What is known of the names before any file is opened.
pub(super) struct Names<'a> {
    folder: Option<&'a Path>,
    file: Option<&'a Path>,
    /// Names that can only be those of files: those with a line of their own and without a colon, and those of lines about
    /// files.
    files: BTreeSet<Vec<u8>>,
}

/// A name of the list as a path.
#[cfg(unix)]
fn path_of(name: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(name).into()
}

/// A name of the list as a path; names that are no text are no paths here.
#[cfg(not(unix))]
fn path_of(name: &[u8]) -> PathBuf {
    String::from_utf8_lossy(name).into_owned().into()
}

/// Whether a name of the list ends with the name of this file.
pub(super) fn is_named(name: &[u8], file: &Path) -> bool {
    let name = path_of(name);
    name == file || name.file_name().is_some_and(|own| file.file_name() == Some(own))
}

impl<'a> Names<'a> {
    pub(super) fn of(lines: &[Line], folder: Option<&'a Path>, file: Option<&'a Path>) -> Self {
        let mut files = BTreeSet::new();
        for line in lines {
            match &line.subject {
                Subject::Model(name) if name.contains(&b':') => {}
                Subject::File(name) | Subject::Model(name) => {
                    files.insert(name.clone());
                }
            }
        }
        // A model whose name has a colon: its tensors' lines begin with it.
        let colons: BTreeSet<&[u8]> = lines
            .iter()
            .filter_map(|line| match &line.subject {
                Subject::Model(name) if name.contains(&b':') => Some(name.as_slice()),
                _ => None,
            })
            .collect();
        let begun: BTreeSet<&[u8]> = colons
            .iter()
            .flat_map(|name| splits(name).map(|(file, _)| file))
            .filter(|file| colons.contains(file))
            .collect();
        // Shorter ones first: what begins with a file's name is a tensor of it, though another line goes on from there.
        for name in begun {
            if !splits(name).any(|(file, _)| files.contains(file)) {
                files.insert(name.to_vec());
            }
        }
        Self { folder, file, files }
    }

    /// The lines with what they are about.
    pub(super) fn entries(&self, lines: Vec<Line>) -> Vec<Entry> {
        // The lines of a model's tensors ask for the same file again and again.
        let mut there = BTreeSet::new();
        let mut exists = |name: &[u8]| {
            let found = there.contains(name)
                || self.path(name).symlink_metadata().is_ok_and(|metadata| !metadata.is_dir());
            if found {
                there.insert(name.to_vec());
            }
            found
        };
        let with = |line: Line| {
            let (file, tensor) = match &line.subject {
                Subject::File(name) => (name.clone(), None),
                Subject::Model(name) => {
                    let (file, tensor) = self.parts(name, &mut exists);
                    (file.to_vec(), tensor.map(<[u8]>::to_vec))
                }
            };
            Entry { line, file, tensor, outcome: Outcome::default() }
        };
        lines.into_iter().map(with).collect()
    }

    /// Parts `file:tensor`. Both may hold colons: a file that the list knows for certain comes first, then one that is there,
    /// then what looks like one; of several the longest.
    fn parts<'n>(
        &self,
        name: &'n [u8],
        exists: &mut dyn FnMut(&[u8]) -> bool,
    ) -> (&'n [u8], Option<&'n [u8]>) {
        if self.files.contains(name) {
            return (name, None);
        }
        let all = || splits(name).map(|(file, tensor)| (file, Some(tensor)));
        let listed = all().find(|(file, _)| self.files.contains(*file));
        let named = || self.file.and_then(|own| all().find(|(file, _)| is_named(file, own)));
        let whole = self.file.is_some_and(|own| is_named(name, own)) || (self.file.is_none() && exists(name));
        if let Some(found) = listed.or_else(|| if whole { Some((name, None)) } else { named() }) {
            return found;
        }
        if self.file.is_none()
            && let Some(found) = all().find(|(file, _)| exists(file))
        {
            return found;
        }
        let looks =
            |file: &[u8]| file.last_chunk::<5>().is_some_and(|ending| ending.eq_ignore_ascii_case(b".gguf"));
        all().find(|(file, _)| looks(file)).unwrap_or_else(|| {
            // Of other names the tensor is what follows the last colon, unless that is a path's.
            let last = all()
                .next()
                .filter(|(_, tensor)| !tensor.unwrap_or_default().iter().any(|b| matches!(b, b'/' | b'\\')));
            last.filter(|_| !looks(name)).unwrap_or((name, None))
        })
    }

    /// Where a file of the list is: from the current folder, else from that of the list.
    pub(super) fn path(&self, name: &[u8]) -> PathBuf {
        let path = path_of(name);
        match self.folder {
            Some(folder) if path.is_relative() && path.symlink_metadata().is_err() => {
                let beside = folder.join(&path);
                if beside.symlink_metadata().is_ok() { beside } else { path }
            }
            _ => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use ggufkit::digest::manifest::lines;

    use super::*;

    fn parts(list: &[&str], file: Option<&str>, there: &[&str]) -> Vec<(String, Option<String>)> {
        let digest = "1550aa9227944c55";
        let text: String = list.iter().map(|name| format!("xxh64 {digest} {name}\n")).collect();
        let lines: Vec<Line> = lines(text.as_bytes()).map(|line| line.unwrap()).collect();
        let names = Names::of(&lines, None, file.map(Path::new));
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let mut exists = |name: &[u8]| there.iter().any(|other| other.as_bytes() == name);
        let part = |line: &Line| {
            let (file, tensor) = names.parts(line.subject.name(), &mut exists);
            (text(file), tensor.map(text))
        };
        lines.iter().map(part).collect()
    }

    fn one(name: &str, there: &[&str]) -> (String, Option<String>) {
        parts(&[name], None, there).remove(0)
    }

    fn pair(file: &str, tensor: &str) -> (String, Option<String>) {
        (file.to_owned(), Some(tensor.to_owned()))
    }

    #[test]
    fn file_and_tensor_are_parted_by_what_is_known() {
        // What the list says of itself.
        let list = ["m:1", "m:1:a", "m:1:a:b"];
        let read = parts(&list, None, &[]);
        assert_eq!(read, [("m:1".to_owned(), None), pair("m:1", "a"), pair("m:1", "a:b")]);
        assert_eq!(parts(&["m", "m:a", "m:a:b"], None, &[])[1..], [pair("m", "a"), pair("m", "a:b")]);
        // What is there.
        assert_eq!(one("dir:x/m:a:b", &["dir:x/m"]), pair("dir:x/m", "a:b"));
        assert_eq!(one("m:a", &["m:a", "m"]), ("m:a".to_owned(), None));
        // What looks like a file.
        assert_eq!(one("C:\\m.gguf:a:b", &[]), pair("C:\\m.gguf", "a:b"));
        assert_eq!(one("C:\\m.gguf", &[]), ("C:\\m.gguf".to_owned(), None));
        assert_eq!(one("m:a", &[]), pair("m", "a"));
        // What was named.
        assert_eq!(parts(&["old/m:a:b"], Some("new/m"), &[]), [pair("old/m", "a:b")]);
    }
}
