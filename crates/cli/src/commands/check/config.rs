//! `ggufkit.toml`: what a project has decided about checking its files.
//!
//! ```toml
//! [check]
//! fail-on = "warning"
//! select = ["container", "layout"]
//! per-rule = 20
//! baseline = "known.json"
//!
//! [[check.ignore]]
//! rule = "tensor-gap"
//! files = ["old/*.gguf"]
//! reason = "written by a tool of 2023; our engine loads them"
//! ```

use std::io;
use std::path::{Component, Path, PathBuf};

use ggufkit::check::{Options, Selection};
use ggufkit::format::glob::{Glob, GlobError};
use serde::Deserialize;

use crate::frame::Document as Judged;

/// The name that is looked for.
const NAME: &str = "ggufkit.toml";

/// Longest file that is read: it is written by hand.
const MAX: u64 = 1 << 20;

#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Document {
    #[serde(default)]
    check: Check,
}

/// The table `[check]`.
#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Check {
    pub(super) fail_on: Option<super::FailOn>,
    #[serde(default)]
    pub(super) select: Vec<String>,
    pub(super) per_rule: Option<u64>,
    /// Relative to the folder of the file that names it.
    pub(super) baseline: Option<PathBuf>,
    #[serde(default)]
    ignore: Vec<Ignore>,
}

/// A decision not to listen to a rule.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Ignore {
    rule: String,
    /// Patterns over paths as given, paths from the folder of the configuration, and file names; absent for all files.
    files: Option<Vec<String>>,
    reason: String,
}

/// What was decided, with the place it was read from.
#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) check: Check,
    ignores: Vec<(Option<Vec<Pattern>>, String, String)>,
    /// The folder of the file that it was read from, without links.
    folder: Option<PathBuf>,
}

impl Config {
    /// Reads the configuration that was named, or the nearest `ggufkit.toml` in the working folder and above it.
    ///
    /// # Errors
    /// One sentence: it cannot be read, is no TOML, says something unknown, or names a rule that does not exist.
    pub(super) fn load(named: Option<&Path>) -> Result<Self, String> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => match nearest()? {
                Some(path) => path,
                None => return Ok(Self::default()),
            },
        };
        let shown = crate::out::path(&path);
        let text = read(&path, MAX).map_err(|error| format!("{shown}: {error}"))?;
        let document: Document = toml::from_str(&text).map_err(|error| {
            // One line, as every message is: where, and what. A message of several lines has its reasons in them.
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count().saturating_add(1);
            let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()).saturating_add(1);
            let lines =
                error.message().lines().map(|line| crate::out::plain(line.trim().as_bytes()).to_string());
            let what = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ");
            format!("{shown}:{line}:{column}: {what}")
        })?;
        let mut check = document.check;
        let mut ignores = Vec::new();
        for ignore in std::mem::take(&mut check.ignore) {
            if ignore.reason.trim().is_empty() {
                return Err(format!("{shown}: the reason to ignore {} is empty", ignore.rule));
            }
            Selection::default()
                .ignore(&ignore.rule, &ignore.reason)
                .map_err(|error| format!("{shown}: {error}"))?;
            let globs = |files: &Vec<String>| files.iter().map(|text| Pattern::new(text)).collect();
            let globs: Option<Result<Vec<Pattern>, _>> = ignore.files.as_ref().map(globs);
            let globs = globs.transpose().map_err(|error| format!("{shown}: {error}"))?;
            ignores.push((globs, ignore.rule, ignore.reason));
        }
        if let Some(baseline) = &mut check.baseline
            && let Some(folder) = path.parent()
        {
            *baseline = folder.join(&*baseline);
        }
        let folder = std::fs::canonicalize(&path).ok().and_then(|path| path.parent().map(Path::to_owned));
        Ok(Self { check, ignores, folder })
    }

    /// How the files of a document are judged.
    pub(super) fn options(&self, options: &Options, document: &Judged<'_>) -> Options {
        let mut options = options.clone();
        if let Some(path) = document.parts.first().and_then(|part| part.path.as_deref()) {
            self.ignore(&mut options.selection, path);
        }
        options
    }

    /// Adds what is ignored for a file. Patterns are held against its path as given, its path from the folder of the
    /// configuration, and its name: so that it is no matter from where, and how, it was named.
    pub(super) fn ignore(&self, selection: &mut Selection, path: &Path) {
        if self.ignores.is_empty() {
            return;
        }
        let whole = std::fs::canonicalize(path).ok();
        let within = self
            .folder
            .as_ref()
            .zip(whole.as_ref())
            .and_then(|(folder, path)| path.strip_prefix(folder).ok());
        let paths = [Some(plain(path)), within.map(plain)];
        let name = path.file_name().map(|name| name.as_encoded_bytes());
        for (patterns, rule, reason) in &self.ignores {
            let fits = |pattern: &Pattern| {
                let paths = paths.iter().flatten().map(|path| path.as_os_str().as_encoded_bytes());
                paths.chain(name.filter(|_| !pattern.rooted)).any(|name| pattern.glob.matches(name))
            };
            if patterns.as_ref().is_none_or(|patterns| patterns.iter().any(fits)) {
                // Names were looked up when the configuration was read.
                let _ = selection.ignore(rule, reason);
            }
        }
    }
}

/// A pattern over paths.
#[derive(Debug)]
struct Pattern {
    glob: Glob,
    /// Whether it began with `./`: it means a path then, and no file of that name elsewhere.
    rooted: bool,
}

impl Pattern {
    /// Reads a pattern as paths are read: `./a`, `a//b` and `a/./b` are spellings of `a` and `a/b`.
    fn new(text: &str) -> Result<Self, GlobError> {
        let absolute = if text.starts_with('/') { "/" } else { "" };
        let pieces: Vec<&str> = text.split('/').filter(|piece| !matches!(*piece, "" | ".")).collect();
        Ok(Self {
            glob: Glob::new(&format!("{absolute}{}", pieces.join("/")))?,
            rooted: text.starts_with("./"),
        })
    }
}

/// A path without the pieces that say nothing.
fn plain(path: &Path) -> PathBuf {
    path.components().filter(|piece| *piece != Component::CurDir).collect()
}

/// The nearest file of the name, in the working folder and above it. Whatever is there under this name is meant: what
/// cannot be read is not passed over, since findings would be judged as nobody decided.
///
/// # Errors
/// One sentence: whether there is one cannot be told.
fn nearest() -> Result<Option<PathBuf>, String> {
    let Ok(here) = std::env::current_dir() else { return Ok(None) };
    for path in here.ancestors().map(|folder| folder.join(NAME)) {
        match path.symlink_metadata() {
            Ok(_) => return Ok(Some(path)),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => {
                return Err(format!("{}: {error}; --no-config goes without it", crate::out::path(&path)));
            }
        }
    }
    Ok(None)
}

/// The text of a file of people's writing.
///
/// # Errors
/// One sentence: the system's, it is no file, it is too long, or it is not UTF-8.
pub(super) fn read(path: &Path, max: u64) -> Result<String, String> {
    use std::io::Read as _;
    // Asked before it is opened: a pipe that nobody writes to would be waited for, and devices act when they are opened.
    let there = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if there.is_dir() {
        return Err("is a folder".to_owned());
    }
    if !there.is_file() {
        return Err("is no regular file".to_owned());
    }
    crate::stdout::spare(path).map_err(|error| error.to_string())?;
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(max.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > max {
        return Err(format!("longer than {max} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_read_as_paths_are() {
        for (pattern, yes, no) in [
            ("./a.gguf", "a.gguf", "b/a.gguf"),
            ("a//b.gguf", "a/b.gguf", "ab.gguf"),
            ("a/./b.gguf", "a/b.gguf", "a/x/b.gguf"),
            (".//./a/*", "a/b", "b/a/b"),
            ("/a/./b", "/a/b", "a/b"),
            ("../a", "../a", "a"),
            (".a/..b", ".a/..b", "a/b"),
            ("[/.]a", ".a", "a"),
        ] {
            let glob = Pattern::new(pattern).unwrap().glob;
            assert!(glob.matches(yes.as_bytes()), "{pattern} and {yes}");
            assert!(!glob.matches(no.as_bytes()), "{pattern} and {no}");
        }
        assert_eq!(plain(Path::new("./a/./b//c")), Path::new("a/b/c"));
        assert_eq!(plain(Path::new("../a")), Path::new("../a"));
    }
}
