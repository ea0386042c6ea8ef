//! What of a model is not here, as sentences for whatever shows it as if it were all.

use ggufkit_inspect::Reach;
use ggufkit_io::{Diagnosis, ShardProblem};

use super::open::without_folder;
use super::session::{File, Opened, Session};
use super::zh::Said;

/// Something of a model that is not here, or was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// What it is, with the name of its file where there are several.
    pub said: Said,
    /// Whether it kept a file from being read: who opened that was told so.
    pub is_error: bool,
}

impl Session {
    /// What of a model is not here, or was not read; nothing of a model that is whole.
    #[must_use]
    pub fn gaps(&self, model: usize) -> Vec<Gap> {
        let Some(opened) = self.models.get(model) else { return Vec::new() };
        let files = || opened.files.iter().filter_map(|number| self.files.get(*number));
        let mut out: Vec<Gap> = opened
            .problems
            .iter()
            .filter(|problem| problem.kind == "io")
            .map(|problem| Gap { said: Said::of(&problem.message), is_error: true })
            .collect();
        out.extend(files().flat_map(|file| of_file(file, files().count() > 1)));
        out.extend(missing(opened).map(|text| Gap { said: Said::of(&text), is_error: false }));
        out.extend(self.elsewhere(opened).map(|said| Gap { said, is_error: false }));
        out
    }

    /// That shards are not here which only the files themselves tell of: no name of theirs does.
    pub(super) fn elsewhere(&self, opened: &Opened) -> Option<Said> {
        let Reach::Elsewhere { missing: Some(away) } = self.reach(opened).tensors.reach else { return None };
        if missing(opened).next().is_some() {
            return None;
        }
        let all = away.saturating_add(opened.files.len() as u64);
        let verb = if away == 1 { "is" } else { "are" };
        Some(Said {
            en: format!("{away} of the {all} shards of this model {verb} not here"),
            zh: format!("此模型的 {all} 个分片中有 {away} 个不在这里"),
        })
    }
}

fn of_file(file: &File, named: bool) -> Vec<Gap> {
    let mut only = Diagnosis::default();
    only.partial.clone_from(&file.diagnosis.partial);
    let cut = only.messages().into_iter().map(|message| (message.text, false));
    let ended = file.problems.iter().filter(|problem| problem.kind != "notice");
    let told = ended.map(|problem| (problem.message.clone(), true)).chain(cut);
    told.map(|(text, is_error)| {
        let Said { en, zh } = Said::of(&text);
        let said = match named {
            true => Said { en: format!("{}: {en}", file.name), zh: format!("{}：{zh}", file.name) },
            false => Said { en, zh },
        };
        Gap { said, is_error }
    })
    .collect()
}

/// Shards that are known by their names, and not here.
fn missing(opened: &Opened) -> impl Iterator<Item = String> {
    let file = opened.set.as_ref().map(|set| set.given().to_owned()).unwrap_or_default();
    let is_missing = |problem: &&ShardProblem| {
        matches!(problem, ShardProblem::Missing { .. } | ShardProblem::MoreMissing { .. })
    };
    let problems = opened.set_problems.iter().filter(is_missing);
    problems.map(move |problem| without_folder(&problem.to_string(), &file))
}
