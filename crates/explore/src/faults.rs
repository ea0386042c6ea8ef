//! What is known to be lacking before anything is judged: heads that break off, data that is cut, shards that are not there.

use ggufkit::check::{File, Severity, Subject};
use ggufkit::format::View;
use ggufkit::format::naming::parse_shard_suffix;
use ggufkit::format::spec::Lang;

use crate::words::{self, filled, said, say};

/// Something that keeps the panes from showing a whole model.
pub(crate) struct Fault {
    /// In one line.
    pub(crate) short: String,
    /// The rest: what ended the reading, and what to do.
    pub(crate) why: Option<String>,
    pub(crate) help: Option<String>,
    pub(crate) severity: Severity,
}

/// What is lacking, and of how many files the model is.
pub(crate) struct Faults {
    pub(crate) all: Vec<Fault>,
    /// Whether keys, tensors or files were not read that may be there.
    pub(crate) is_part: bool,
    /// Files of the model, whether they are there or not.
    pub(crate) files: u64,
    /// How many of them are not there.
    pub(crate) missing: u64,
}

impl Faults {
    pub(crate) fn of(subject: &Subject<'_>, lang: Lang) -> Self {
        let mut all = Vec::new();
        for file in subject.files {
            let label = match (subject.files.len(), file.file_name) {
                (0 | 1, _) => String::new(),
                (_, Some(name)) => ggufkit::format::shorten(name.as_bytes(), 200),
                (_, None) => file.label.display().to_string(),
            };
            all.extend(of_file(file, lang).into_iter().map(|mut fault| {
                if !label.is_empty() {
                    fault.short = filled(lang, words::CLAUSE, &[&label, &fault.short]);
                }
                fault
            }));
        }
        let there = subject.files.len() as u64;
        let declared = subject.files.iter().filter_map(|file| number(file.view?, "split.count")).max();
        let files = subject.set.map(|set| u64::from(set.count())).or(declared).unwrap_or(there).max(there);
        let missing = files.saturating_sub(there);
        if subject.problems.is_empty() && missing > 0 {
            let (there, files) = (there.to_string(), files.to_string());
            all.push(Fault::new(filled(lang, words::SHARDS, &[&there, &files]), Severity::Error));
        }
        for problem in subject.problems {
            all.push(Fault::new(said(lang, &problem.to_string()), Severity::Error));
        }
        let broken = |file: &File<'_>| file.view.is_none_or(|view| !view.index().is_complete());
        Self { is_part: missing > 0 || subject.files.iter().any(broken), all, files, missing }
    }
}

impl Faults {
    /// Adds, before all others, that a file is no longer what was read of it.
    pub(crate) fn changed(&mut self, name: &str, lang: Lang) {
        let short = filled(lang, words::CHANGED, &[name]);
        let help = Some(say(lang, words::OPEN_AGAIN).to_owned());
        self.all.insert(0, Fault { help, ..Fault::new(short, Severity::Error) });
    }
}

impl Fault {
    const fn new(short: String, severity: Severity) -> Self {
        Self { short, why: None, help: None, severity }
    }
}

/// The place of a file in its set, from 1, as its name or its keys have it.
pub(crate) fn place(file: &File<'_>) -> Option<u64> {
    let name = file.file_name.and_then(parse_shard_suffix).map(|suffix| u64::from(suffix.no));
    name.or_else(|| number(file.view?, "split.no")?.checked_add(1))
}

fn number(view: View<'_>, key: &str) -> Option<u64> {
    view.get(key)?.as_u64()
}

fn of_file(file: &File<'_>, lang: Lang) -> Vec<Fault> {
    let mut faults = Vec::new();
    let help = |text: Option<String>| text.map(|text| said(lang, &text));
    match (file.view, file.error) {
        (None, error) => {
            let identity = file.diagnosis.identity.as_ref();
            let why = identity.map(|is| is.describe()).or_else(|| error.map(ToString::to_string));
            let unread = say(lang, words::HEAD_UNREAD);
            let clause = |why: String| filled(lang, words::CLAUSE, &[unread, &said(lang, &why)]);
            let short = why.map_or_else(|| unread.to_owned(), clause);
            faults.push(Fault {
                help: help(identity.map_or_else(|| error?.help(), |is| is.help())),
                ..Fault::new(short, Severity::Error)
            });
            return faults;
        }
        (Some(view), error) if error.is_some() || !view.index().is_complete() => {
            let (index, header) = (view.index(), view.index().header());
            let (keys, tensors) = (index.kvs().len() as u64, index.tensors().len() as u64);
            let why = error.map(|error| said(lang, &error.to_string()));
            let whole = index.has_all_tensors();
            let (short, why) = match why {
                Some(why) if whole => (why, None),
                why => {
                    let end = format!("{:#x}", index.head_end());
                    let counts = [keys, header.kv_count, tensors, header.tensor_count].map(|n| n.to_string());
                    let [keys, all_keys, tensors, all_tensors] = &counts;
                    let holes = [end.as_str(), keys, all_keys, tensors, all_tensors];
                    (filled(lang, words::HEAD_ENDS, &holes), why)
                }
            };
            let fault = Fault::new(short, Severity::Error);
            faults.push(Fault { why, help: help(error.and_then(|error| error.help())), ..fault });
        }
        _ => {}
    }
    for message in file.diagnosis.messages() {
        let severity = match file.diagnosis.partial {
            Some(_) => Severity::Error,
            None => Severity::Warning,
        };
        faults.push(Fault { help: help(message.help), ..Fault::new(said(lang, &message.text), severity) });
    }
    faults
}
