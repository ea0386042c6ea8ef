//! Chat templates: their texts, and the prompt that somebody else makes of them.

use ggufkit_check::template::Template;
use ggufkit_format::{Payload, shorten};
use ggufkit_inspect::Model;
use serde::Serialize;

use super::query::Query;
use super::refusal::Refusal;
use super::session::Session;
use super::shape::{Place, readable};
use super::zh::Said;
use super::{Answer, json};

/// Bytes of a template that are told.
const MAX_TEXT: usize = 1 << 20;
/// Bytes of all templates that are told.
const MAX_ALL: usize = 4 << 20;
/// Templates that are told.
const MAX_TEMPLATES: usize = 200;
/// Bytes of a prompt that are told.
const MAX_PROMPT: usize = 2 << 20;

/// What is to be rendered.
#[derive(Debug)]
pub struct Rendering<'a> {
    /// The model that the template belongs to.
    pub model: Model<'a>,
    /// The template.
    pub template: Template<'a>,
    /// The messages, as a JSON list.
    pub messages: &'a str,
    /// Whether the prompt ends where the model is to answer.
    pub generate: bool,
}

/// Renders a chat template, in a process with limits. The value is the prompt; an error says why there is none, in words.
pub type Renderer = dyn Fn(&Rendering<'_>) -> Result<String, String> + Send + Sync;

#[derive(Serialize)]
struct Templates {
    templates: Vec<Told>,
}

#[derive(Serialize)]
struct Told {
    name: String,
    text: String,
    cut: bool,
    sha256: String,
    span: Place,
}

/// The name under which a template is asked for.
fn name(template: &Template<'_>) -> String {
    template.name.map_or_else(|| "default".to_owned(), |name| shorten(name, 200))
}

pub(super) fn templates(session: &Session, query: &Query<'_>) -> Answer {
    let (_, opened) = session.opened(query, "model")?;
    if session.parts(opened).is_empty() {
        return json(&Templates { templates: Vec::new() });
    }
    session.with_model(opened, |model, numbers| {
        let mut room = MAX_ALL;
        let mut templates = Vec::new();
        for template in Template::all(model).take(MAX_TEMPLATES) {
            let most = template.text.len().min(MAX_TEXT).min(room);
            room -= most;
            let text = template.text.get(..most).unwrap_or_default();
            let file = numbers.get(template.place.file).copied().unwrap_or_default();
            let span = match &template.place.record.payload {
                Payload::String(text) => text.span,
                _ => template.place.record.value_span,
            };
            templates.push(Told {
                name: name(&template),
                text: readable(text),
                cut: most < template.text.len(),
                sha256: template.sha256(),
                span: Place::new(file, span),
            });
        }
        json(&Templates { templates })
    })
}

#[derive(Serialize)]
struct Rendered {
    text: Option<String>,
    error: Option<Said>,
}

pub(super) fn render(session: &Session, query: &Query<'_>) -> Answer {
    let (_, opened) = session.opened(query, "model")?;
    let wanted = query.needed("template")?;
    let messages = query.needed("messages")?;
    let generate = match query.text("generate") {
        None | Some("0") => false,
        Some("1") => true,
        Some(_) => return Err(Refusal::usage(("generate is 0 or 1", "generate 应为 0 或 1"))),
    };
    let Some(renderer) = &session.renderer else {
        return Err(Refusal::unsupported(("nothing renders templates here", "这里无法渲染模板")));
    };
    if !serde_json::from_str::<serde_json::Value>(messages).is_ok_and(|messages| messages.is_array()) {
        return Err(Refusal::usage(("messages is a JSON list", "messages 应为 JSON 列表")));
    }
    session.with_model(opened, |model, _| {
        let found = Template::all(model).take(MAX_TEMPLATES).find(|template| name(template) == wanted);
        let template = found
            .ok_or_else(|| Refusal::not_found(("there is no template of this name", "没有这个名称的模板")))?;
        let rendered = match renderer(&Rendering { model: *model, template, messages, generate }) {
            Ok(text) if text.len() > MAX_PROMPT => Rendered {
                text: None,
                error: Some(Said {
                    en: format!("the prompt is longer than {MAX_PROMPT} bytes"),
                    zh: format!("提示词超过 {MAX_PROMPT} 字节"),
                }),
            },
            Ok(text) => Rendered { text: Some(readable(text.as_bytes())), error: None },
            Err(error) => Rendered { text: None, error: Some(Said::of(&error)) },
        };
        json(&rendered)
    })
}
