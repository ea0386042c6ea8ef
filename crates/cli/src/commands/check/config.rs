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

use std::path::{Path, PathBuf};

use ggufkit::check::Selection;
use ggufkit::format::glob::Glob;
use serde::Deserialize;

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
    /// Globs over paths as given and over file names; absent for all files.
    files: Option<Vec<String>>,
    reason: String,
}

/// What was decided, with the place it was read from.
#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) check: Check,
    ignores: Vec<(Option<Vec<Glob>>, String, String)>,
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
            None => match nearest() {
                Some(path) => path,
                None => return Ok(Self::default()),
            },
        };
        let shown = crate::out::path(&path);
        let text = read(&path, MAX).map_err(|error| format!("{shown}: {error}"))?;
        let document: Document = toml::from_str(&text).map_err(|error| {
            format!("{shown}: {}", crate::out::plain(error.to_string().trim().as_bytes()))
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
            let globs = |files: &Vec<String>| files.iter().map(|text| Glob::new(text)).collect();
            let globs: Option<Result<Vec<Glob>, _>> = ignore.files.as_ref().map(globs);
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
        let names = [Some(path), within, path.file_name().map(Path::new)];
        for (globs, rule, reason) in &self.ignores {
            let fits = |glob: &Glob| {
                names.iter().flatten().any(|name| glob.matches(name.as_os_str().as_encoded_bytes()))
            };
            if globs.as_ref().is_none_or(|globs| globs.iter().any(fits)) {
                // Names were looked up when the configuration was read.
                let _ = selection.ignore(rule, reason);
            }
        }
    }
}

fn nearest() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file())
}

/// The text of a file of people's writing.
///
/// # Errors
/// One sentence: the system's, it is too long, or it is not UTF-8.
pub(super) fn read(path: &Path, max: u64) -> Result<String, String> {
    use std::io::Read as _;
    let file = std::fs::File::open(path).map_err(|error| error.to_string())?;
    let mut bytes = Vec::new();
    file.take(max + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > max {
        return Err(format!("longer than {max} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "not UTF-8".to_owned())
}
