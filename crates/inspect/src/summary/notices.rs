//! What is odd about a file, in words: each sort once, with how often and where first.
//!
//! Whether a file is right is not judged here.

use ggufkit_format::{Index, Path, Span};
use serde::Serialize;

use super::{Facts, Figure, Kind, Summary};
use crate::model::Part;
use crate::text::Text;
use crate::units::count;

/// Something odd.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Notice<'a> {
    /// A short stable word for it.
    pub code: &'static str,
    /// What is odd, in one sentence without a full stop.
    pub message: String,
    /// What can be done about it.
    pub help: Option<String>,
    /// How often it occurs.
    pub count: u64,
    /// The file of the first one, where there are several.
    pub file: Option<Text<'a>>,
    /// The logical place of the first one: `tensors[3].offset`.
    pub path: Option<String>,
    /// The key or the tensor name there.
    pub name: Option<Text<'a>>,
    /// Absolute position of the first one.
    pub offset: Option<u64>,
    /// Its bytes.
    pub size: Option<u64>,
}

impl<'a> Notice<'a> {
    /// A notice about the file as a whole.
    #[must_use]
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            help: None,
            count: 1,
            file: None,
            path: None,
            name: None,
            offset: None,
            size: None,
        }
    }

    /// The same notice, of a field of a file's head.
    #[must_use]
    pub fn at(mut self, part: &Part<'a>, path: &Path, span: Span) -> Self {
        self.path = Some(path.to_string());
        self.name = name_of(part, path);
        self.offset = Some(span.start);
        self.size = Some(span.len);
        self.file = Some(Text(part.label));
        self
    }

    /// The same notice, `count` times.
    #[must_use]
    pub const fn times(mut self, count: u64) -> Self {
        self.count = count;
        self
    }
}

/// The key or tensor name that a path leads to.
fn name_of<'a>(part: &Part<'a>, path: &Path) -> Option<Text<'a>> {
    let index: &'a Index = part.view.index();
    let at = |index: u64| usize::try_from(index).ok();
    match path {
        Path::Kv { index: n, .. } => Some(Text(part.view.key(index.kvs().get(at(*n)?)?))),
        Path::Tensor { index: n, .. } => Some(Text(part.view.name(index.tensors().get(at(*n)?)?))),
        _ => None,
    }
}

/// Adds the notices of a further file: of each sort the first one stays.
pub(super) fn join<'a>(notices: &mut Vec<Notice<'a>>, more: Vec<Notice<'a>>) {
    // There are few sorts, whatever the files.
    for notice in more {
        match notices.iter_mut().find(|there| there.code == notice.code) {
            Some(there) => there.count = there.count.saturating_add(notice.count),
            None => notices.push(notice),
        }
    }
}

/// What the reader noticed in a head, each sort once.
pub(super) fn of_head<'a>(part: &Part<'a>, notices: &mut Vec<Notice<'a>>) {
    let index = part.view.index();
    for anomaly in index.anomalies() {
        let code = anomaly.kind.code();
        match notices.iter_mut().find(|notice| notice.code == code) {
            Some(notice) => notice.count += 1,
            None => {
                let notice = Notice::new(code, anomaly.kind.to_string());
                notices.push(notice.at(part, &anomaly.path, anomaly.span));
            }
        }
    }
    let more = index.anomalies_left_out();
    if more > 0 {
        let message = format!("{} more oddities were met and are not kept", count(more));
        notices.push(Notice::new("more-anomalies", message).times(more));
    }
}

/// Keys and tensor names that occur twice in a file.
pub(super) fn of_duplicates<'a>(facts: &Facts<'a>, notices: &mut Vec<Notice<'a>>) {
    use ggufkit_format::{KvPart, TensorPart};
    let mut keys = facts.keys.duplicates();
    let count = keys.len() as u64;
    if let Some([_, first]) = keys.next() {
        let message = "the key is a duplicate of an earlier one, whose value is the one shown; llama.cpp refuses such files";
        let path = Path::kv(first.index as u64, KvPart::Key);
        let notice = Notice::new("duplicate-key", message).times(count);
        notices.push(notice.at(&first.part, &path, first.record.key.span));
    }
    let mut tensors = facts.tensors.duplicates();
    let count = tensors.len() as u64;
    if let Some([_, first]) = tensors.next() {
        let message = "the tensor name is a duplicate of an earlier one; llama.cpp refuses such files";
        let path = Path::tensor(first.index as u64, TensorPart::Name);
        let notice = Notice::new("duplicate-tensor", message).times(count);
        notices.push(notice.at(&first.part, &path, first.record.name.span));
    }
}

/// Where parts of a summary contradict each other.
pub(super) fn of_meaning<'a>(facts: &Facts<'a>, summary: &Summary<'a>, notices: &mut Vec<Notice<'a>>) {
    let of_key = |notice: Notice<'a>, key: &str| match facts.keys.find(key.as_bytes()) {
        Some(place) => {
            let path = Path::kv(place.index as u64, ggufkit_format::KvPart::Record);
            notice.at(&place.part, &path, place.record.span)
        }
        None => notice,
    };
    if let Some(place) = facts.keys.find(b"general.architecture")
        && facts.architecture.is_none()
    {
        let ty = crate::model::type_label(place.record);
        let message = format!("general.architecture is a {ty}, not a string");
        notices.push(of_key(Notice::new("architecture-type", message), "general.architecture"));
    }
    let quantization = summary.quantization.as_ref();
    if let Some(text) = quantization.and_then(|q| q.disagreement.clone()) {
        notices.push(of_key(Notice::new("file-type-disagrees", text), "general.file_type"));
    }
    of_layers(facts, summary, notices);
    of_vocabulary(facts, summary, notices);
    if let Some(templates) = &summary.chat_templates
        && let Some(first) = templates.missing.first()
    {
        let message =
            format!("tokenizer.chat_templates lists \"{}\", which has no template", first.short(60));
        let notice = Notice::new("template-missing", message).times(templates.missing_count);
        notices.push(of_key(notice, "tokenizer.chat_templates"));
    }
}

/// `block_count` beside the layers that tensor names speak of, and beside the lengths of arrays for each layer.
fn of_layers<'a>(facts: &Facts<'a>, summary: &Summary<'a>, notices: &mut Vec<Notice<'a>>) {
    let figures = &summary.figures;
    let Some(Figure::One(stated)) = figures.layers else { return };
    if let (Some(found), Kind::Model, false) = (figures.layers_found, summary.kind, facts.is_partial_set())
        && stated != found
    {
        let message = format!(
            "block_count is {}, but tensor names speak of {} {}",
            count(stated),
            count(found),
            if found == 1 { "layer" } else { "layers" }
        );
        notices.push(Notice::new("layers-disagree", message));
    }
    let arrays = [
        ("attention.head_count", &figures.heads),
        ("attention.head_count_kv", &figures.kv_heads),
        ("feed_forward_length", &figures.feed_forward_length),
    ];
    let odd = arrays.iter().filter_map(|(name, figure)| match figure {
        Some(Figure::Layers { values, .. }) if *values != stated => Some((name, *values)),
        _ => None,
    });
    let mut odd: Vec<_> = odd.collect();
    if let Some((name, values)) = odd.pop() {
        let message = format!("{name} has {} values, but block_count is {}", count(values), count(stated));
        notices.push(Notice::new("layer-array-length", message).times(odd.len() as u64 + 1));
    }
}

fn of_vocabulary<'a>(facts: &Facts<'a>, summary: &Summary<'a>, notices: &mut Vec<Notice<'a>>) {
    let Some(tokenizer) = &summary.tokenizer else { return };
    let embedding = facts.tensors.find(b"token_embd.weight");
    if let (Some(tokens), Some(place)) = (tokenizer.tokens, embedding)
        && let Some(rows) = place.part.view.index().dims(place.record).get(1).copied()
        && rows != tokens
    {
        let message = format!(
            "the tokenizer has {} tokens, but token_embd.weight has {} rows",
            count(tokens),
            count(rows)
        );
        let path = Path::tensor(place.index as u64, ggufkit_format::TensorPart::Record);
        let notice = Notice::new("vocabulary-disagrees", message);
        notices.push(notice.at(&place.part, &path, place.record.span));
    }
    let outside = || tokenizer.special.iter().filter(|token| token.in_vocabulary == Some(false));
    if let (Some(first), Some(tokens)) = (outside().next(), tokenizer.tokens) {
        let mut message = format!("{} is outside the vocabulary of {} tokens", first.key, count(tokens));
        if let Figure::One(id) = first.id {
            message = format!("{} is {id}, outside the vocabulary of {} tokens", first.key, count(tokens));
            if id == u64::from(u32::MAX) {
                message.push_str(" (some writers mean \"none\" by this number)");
            }
        }
        let notice = Notice::new("special-token-outside", message).times(outside().count() as u64);
        let key = first.key.clone();
        notices.push(match facts.keys.find(key.as_bytes()) {
            Some(place) => {
                let path = Path::kv(place.index as u64, ggufkit_format::KvPart::Record);
                notice.at(&place.part, &path, place.record.span)
            }
            None => notice,
        });
    }
}
