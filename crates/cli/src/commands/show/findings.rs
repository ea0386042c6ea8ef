//! What was found around the heads, added to what the heads themselves tell.

use ggufkit::inspect::summary::{Notice, Shards, Summary};
use ggufkit::inspect::{Text, units};
use ggufkit::io::{Diagnosis, Message, ShardProblem};

use crate::frame::Document;
use crate::{json, out};

/// Adds the findings to the summary; returns the bytes that a broken-off download lacks.
pub(super) fn merge<'a>(document: &Document<'a>, summary: Option<&mut Summary<'a>>) -> u64 {
    let Some(summary) = summary else { return 0 };
    let mut missing_bytes = 0_u64;
    for part in document.parts {
        let Some(index) = part.index() else { continue };
        if let Some(partial) = part.diagnosis.partial {
            missing_bytes = missing_bytes.saturating_add(partial.wanted.saturating_sub(partial.present));
        }
        for (code, message) in each(&part.diagnosis) {
            let mut notice = Notice::new(code, message.text);
            notice.help = message.help;
            notice.offset = match code {
                "partial-file" => part.size,
                "joined-files" => part.diagnosis.joined,
                "trailing-bytes" => part.size.map(|size| size.saturating_sub(part.diagnosis.trailing)),
                _ => Some(index.header().base),
            };
            if document.parts.len() > 1 {
                notice.message = format!("{}: {}", part.label, notice.message);
            }
            add(summary, notice);
        }
    }
    for problem in document.problems {
        let code = match problem {
            // These lists are short: the set names a few and counts the rest.
            ShardProblem::Missing { .. } | ShardProblem::MoreMissing { .. } => continue,
            other => other.code(),
        };
        add(summary, Notice::new(code, problem.to_string()));
    }
    if let Some(set) = document.set {
        let files = document.model.map_or(0, |model| model.len());
        let shards = summary.shards.get_or_insert_with(|| Shards {
            no: None,
            count: None,
            tensors: None,
            files,
            missing: Vec::new(),
            missing_count: 0,
        });
        shards.missing_count = set.missing_count().into();
        shards.missing = document.missing.iter().map(|path| Text(json::bytes_of(path))).collect();
        if let Some(first) = document.missing.first().map(|path| out::path(path)) {
            let message = match shards.missing_count {
                1 => format!("a shard is missing: {first}"),
                n => format!("{n} of {} shards are missing, first {first}", set.count()),
            };
            add(summary, Notice::new("shard-missing", message));
        }
    }
    missing_bytes
}

/// Adds a notice, before those that only follow from it.
fn add<'a>(summary: &mut Summary<'a>, mut notice: Notice<'a>) {
    if notice.code == "partial-file"
        && let Some(at) = summary.notices.iter().position(|there| there.code == "tensor-outside-file")
    {
        // Tensors that reach past the end are the same finding; the first of them is worth its name.
        let outside = summary.notices.remove(at);
        notice.message.push_str(&match outside.count {
            1 => "; 1 tensor is not whole".to_owned(),
            n => format!("; {} tensors are not whole", units::count(n)),
        });
        notice.file = outside.file;
        notice.path = outside.path;
        notice.name = outside.name;
        notice.offset = outside.offset;
        notice.size = outside.size;
    }
    let at = summary.notices.iter().position(|there| there.code == notice.code);
    match at.and_then(|at| summary.notices.get_mut(at)) {
        Some(there) => there.count = there.count.saturating_add(1),
        None => summary.notices.insert(0, notice),
    }
}

/// The findings of a diagnosis one by one, each with its word.
fn each(diagnosis: &Diagnosis) -> Vec<(&'static str, Message)> {
    let mut found = Vec::new();
    let mut take = |code, pick: fn(&Diagnosis, &mut Diagnosis)| {
        let mut one = Diagnosis::default();
        pick(diagnosis, &mut one);
        found.extend(one.messages().into_iter().map(|message| (code, message)));
    };
    take("misread-layout", |from, to| to.dialect = from.dialect);
    take("partial-file", |from, to| to.partial = from.partial);
    take("joined-files", |from, to| to.joined = from.joined);
    if diagnosis.joined.is_none() {
        take("trailing-bytes", |from, to| to.trailing = from.trailing);
    }
    found
}
