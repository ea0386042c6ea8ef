//! What an engine would make of the metadata.

use ggufkit_format::{Scalar, shorten};
use ggufkit_inspect::config::{Setting, Source, config_within};
use ggufkit_inspect::units;
use serde::Serialize;

use super::query::Query;
use super::session::Session;
use super::shape::Place;
use super::zh::say;
use super::{Answer, json};

#[derive(Serialize, Default)]
struct Config {
    architecture: Option<String>,
    known: bool,
    settings: Vec<Told>,
    /// Required keys that are absent.
    missing: Vec<String>,
    /// What stands in the way of loading.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct Told {
    name: &'static str,
    group: &'static str,
    value: String,
    from: &'static str,
    key: Option<String>,
    rule: Option<String>,
    span: Option<Place>,
}

/// Layers whose values are told one by one.
const MAX_LAYERS: usize = 1000;

pub(super) fn config(session: &Session, query: &Query<'_>) -> Answer {
    let (_, opened) = session.opened(query, "model")?;
    let lang = query.lang()?;
    let keys = session.reach(opened).keys.reach;
    let parts = session.parts(opened);
    if parts.is_empty() {
        return json(&Config::default());
    }
    session.with_model(opened, |model, _| {
        let config = config_within(model, keys);
        let place = |key: &str| {
            parts
                .iter()
                .find_map(|(number, part)| part.view.find(key).map(|kv| Place::new(*number, kv.value_span)))
        };
        let settings = config.entries.iter().map(|entry| {
            let (from, key, rule) = match &entry.source {
                Source::Key { key, .. } => ("key", Some(key), None),
                Source::Default { rule, key }
                    if matches!(entry.value, Setting::None) && config.missing.contains(key) =>
                {
                    ("missing", Some(key), Some(rule.clone()))
                }
                Source::Default { rule, key } => ("default", Some(key), Some(rule.clone())),
                Source::Derived { rule } => ("derived", None, Some(rule.clone())),
                // Why, is said once of the whole.
                Source::Unread { key } => ("unread", Some(key), None),
            };
            Told {
                name: entry.name,
                group: entry.group,
                value: value(&entry.value),
                from,
                key: key.map(|key| shorten(key.as_bytes(), 200)),
                rule: rule.map(|rule| say(rule.as_str(), lang)),
                span: key.filter(|_| from == "key").and_then(|key| place(key)),
            }
        });
        json(&Config {
            architecture: config.architecture.map(|name| shorten(name.as_bytes(), 100)),
            known: config.architecture_known,
            settings: settings.collect(),
            missing: config.missing.iter().map(|key| shorten(key.as_bytes(), 200)).collect(),
            notes: config.notes.iter().map(|note| say(note.as_str(), lang)).collect(),
        })
    })
}

fn value(setting: &Setting<'_>) -> String {
    match setting {
        Setting::None => String::new(),
        Setting::Integer(n) => n.to_string(),
        Setting::Scalar(scalar) => units::scalar_text(*scalar),
        Setting::Float(value) => units::scalar_text(Scalar::F64(*value)),
        Setting::Text(text) => shorten(text.0, 400),
        Setting::Word(word) => (*word).to_owned(),
        Setting::Layers(values) => {
            let mut all: Vec<String> =
                values.iter().take(MAX_LAYERS).map(|value| units::scalar_text(*value)).collect();
            if values.len() > MAX_LAYERS {
                all.push("…".to_owned());
            }
            all.join(", ")
        }
    }
}
