//! What is open, and what it is as a whole.

use ggufkit_inspect::Reach;
use ggufkit_inspect::summary::{Summary, summary};
use serde::Serialize;

use super::open::Problem;
use super::query::Query;
use super::reach::Read;
use super::session::{File, Opened, Session};
use super::zh::Said;
use super::{Answer, json};

#[derive(Serialize)]
struct Head<'a> {
    file: usize,
    model: usize,
    name: &'a str,
    size: u64,
    version: Option<u32>,
    endian: Option<&'static str>,
    head_end: Option<u64>,
    data_start: Option<u64>,
    alignment: Option<u64>,
    errors: Vec<Told<'a>>,
}

#[derive(Serialize)]
struct ModelHead<'a> {
    model: usize,
    name: &'a str,
    files: &'a [usize],
    /// Files that it should have, where more are known of than there are.
    files_declared: usize,
    /// How far it was read: what no answer lists is absent only where that is the whole.
    read: Read,
    problems: Vec<Told<'a>>,
}

/// A problem in the page's languages.
#[derive(Serialize)]
struct Told<'a> {
    kind: &'static str,
    message: Said,
    offset: Option<u64>,
    path: Option<&'a str>,
    help: Option<Said>,
}

impl<'a> Told<'a> {
    fn all(problems: &'a [Problem]) -> Vec<Self> {
        let one = |problem: &'a Problem| Self {
            kind: problem.kind,
            message: Said::of(&problem.message),
            offset: problem.offset,
            path: problem.path.as_deref(),
            help: problem.help.as_deref().map(Said::of),
        };
        problems.iter().map(one).collect()
    }
}

#[derive(Serialize)]
struct Can {
    values: bool,
    bytes: bool,
    render: bool,
}

#[derive(Serialize)]
struct Whole<'a> {
    schema: u32,
    version: &'static str,
    lang: Option<&'static str>,
    files: Vec<Head<'a>>,
    models: Vec<ModelHead<'a>>,
    can: Can,
    /// What a report left out.
    capped: &'a [Said],
}

pub(super) fn session(session: &Session, _: &Query<'_>) -> Answer {
    let seekable = session.files.iter().any(|file| file.source.is_some());
    let can = Can { values: seekable, bytes: true, render: session.renderer.is_some() };
    told(session, can, &[])
}

/// The session as a report has it: nothing can be asked for that it does not hold.
pub(crate) fn session_of_report(session: &Session, capped: &[Said]) -> Answer {
    told(session, Can { values: false, bytes: false, render: false }, capped)
}

fn told(session: &Session, can: Can, capped: &[Said]) -> Answer {
    let files = session.files.iter().enumerate().map(|(number, file)| head(number, file)).collect();
    json(&Whole {
        schema: ggufkit_inspect::json::SCHEMA,
        version: env!("CARGO_PKG_VERSION"),
        lang: session.lang.map(|lang| match lang {
            ggufkit_format::spec::Lang::En => "en",
            ggufkit_format::spec::Lang::Zh => "zh",
        }),
        files,
        models: session
            .models
            .iter()
            .enumerate()
            .map(|(number, opened)| model(session, number, opened))
            .collect(),
        can,
        capped,
    })
}

fn model<'a>(session: &Session, number: usize, opened: &'a Opened) -> ModelHead<'a> {
    let of_set = opened.set.as_ref().map_or(0, |set| usize::try_from(set.count()).unwrap_or(0));
    let read = session.reach(opened);
    // What the files themselves tell of, where their names do not.
    let away = match read.tensors.reach {
        Reach::Elsewhere { missing: Some(away) } => usize::try_from(away).unwrap_or(usize::MAX),
        _ => 0,
    };
    let mut problems = Told::all(&opened.problems);
    problems.extend(session.elsewhere(opened).map(|message| Told {
        kind: "notice",
        message,
        offset: None,
        path: None,
        help: None,
    }));
    ModelHead {
        model: number,
        name: &opened.name,
        files: &opened.files,
        files_declared: of_set.max(opened.files.len().saturating_add(away)),
        read,
        problems,
    }
}

fn head(number: usize, file: &File) -> Head<'_> {
    let index = file.index.as_ref();
    let whole = index.filter(|index| index.is_complete());
    Head {
        file: number,
        model: file.model,
        name: &file.name,
        size: file.length(),
        version: index.map(|index| index.header().version),
        endian: index.map(|index| index.header().endian.name()),
        head_end: whole.map(|index| index.head_end()),
        data_start: whole.and_then(|index| index.data_start()),
        alignment: whole.map(|index| index.alignment()),
        errors: Told::all(&file.problems),
    }
}

#[derive(Serialize)]
struct Show<'a> {
    schema: u32,
    #[serde(flatten)]
    summary: &'a Summary<'a>,
}

pub(super) fn show(session: &Session, query: &Query<'_>) -> Answer {
    let (_, opened) = session.opened(query, "model")?;
    query.lang()?;
    session.with_model(opened, |model, _| {
        json(&Show { schema: ggufkit_inspect::json::SCHEMA, summary: &summary(model) })
    })
}
