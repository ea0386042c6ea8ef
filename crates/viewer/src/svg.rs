//! The map of a model alone, as a picture that stands by itself.

use std::fmt::Write as _;

use ggufkit_format::spec::{Lang, TensorType, Text};
use ggufkit_inspect::map::{Area, Content, map};
use ggufkit_inspect::regions::RegionKind;
use ggufkit_inspect::{Model, units};

use crate::answer::{Refusal, Session};

/// Width of the picture.
const WIDTH: f64 = 960.0;
/// Space around everything.
const EDGE: f64 = 24.0;
/// Height of the bar of a file.
const BAR: f64 = 40.0;
/// Height of a line of text.
const LINE: f64 = 22.0;
/// Entries of the legend.
const MAX_LEGEND: usize = 32;
/// Lines about what is missing, and characters of each.
const MAX_GAPS: usize = 4;
const GAP: usize = 120;
/// Bars, one for each file.
const MAX_FILES: usize = 64;

/// Colours of tensor types, the type of most bytes first: told apart by eyes of every kind, and by their order.
const TYPES: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d1f", "#6a51a3"];

/// Draws the first model of a session.
///
/// # Errors
/// No header of it could be read.
pub fn svg(session: &Session, lang: Lang) -> Result<String, Refusal> {
    let gaps: Vec<String> = session.gaps(0).into_iter().map(|gap| gap.said.get(lang).to_owned()).collect();
    session.first_model(|model, name| draw(model, name, &gaps, lang))
}

/// Text of a picture.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // What XML has no way to write.
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

fn label(content: &Content<'_>, lang: Lang) -> String {
    let kind = match content {
        Content::Array(key) => return key.short(60),
        Content::Tensors(ty) => return ty.to_string(),
        Content::Mixed => return Text::new("various", "其他").get(lang).to_owned(),
        Content::Before => RegionKind::Before,
        Content::Header => RegionKind::Header,
        Content::Metadata => RegionKind::Metadata,
        Content::TensorTable => RegionKind::TensorInfo,
        Content::Padding => RegionKind::Padding,
        Content::Gap => RegionKind::Gap,
        Content::Trailing => RegionKind::Trailing,
        Content::Unread => RegionKind::Unread,
    };
    kind.words().get(lang).to_owned()
}

/// The colour of a sort of content.
fn colour(content: &Content<'_>, areas: &[Area<'_>]) -> &'static str {
    match content {
        Content::Tensors(_) => {
            let types = areas.iter().filter(|area| matches!(area.content, Content::Tensors(_)));
            let place = types.into_iter().position(|area| area.content == *content).unwrap_or(0);
            TYPES.get(place % TYPES.len()).copied().unwrap_or("#0072b2")
        }
        Content::Header | Content::Metadata => "#7f8c99",
        Content::Array(_) => "#a3b1bf",
        Content::TensorTable => "#5c6873",
        Content::Padding => "#d9dee3",
        Content::Mixed => "#b0a8b9",
        Content::Gap | Content::Trailing | Content::Unread | Content::Before => "#c0392b",
    }
}

/// Whether a type and a shape give a size.
fn has_size(ty: TensorType) -> bool {
    ggufkit_format::layout::tensor_bytes(ty, &[256]).is_ok()
}

/// What is missing, as lines that fit: the last tells of more.
fn lines(gaps: &[String]) -> Vec<String> {
    let mut out: Vec<String> = gaps.iter().take(MAX_GAPS).map(|gap| shortened(gap)).collect();
    if let Some(more @ 1..) = gaps.len().checked_sub(MAX_GAPS) {
        out.push(format!("… + {more}"));
    }
    out
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(GAP) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn draw(model: &Model<'_>, name: &str, gaps: &[String], lang: Lang) -> String {
    let map = map(model);
    let size = map.size();
    let files = model.len().min(MAX_FILES);
    let legend = map.areas.len().min(MAX_LEGEND);
    let gaps = lines(gaps);
    let top = EDGE + LINE * (2.0 + gaps.len() as f64);
    let height = top + files as f64 * (BAR + LINE) + legend as f64 * LINE + EDGE;
    let title = match lang {
        Lang::En if !gaps.is_empty() => {
            format!(
                "{name}, not whole: what takes how much of the {} bytes that are here",
                units::count(size)
            )
        }
        Lang::Zh if !gaps.is_empty() => format!("{name}（不完整）：现有 {} 字节的构成", units::count(size)),
        Lang::En => format!("{name}: what takes how much of {} bytes", units::count(size)),
        Lang::Zh => format!("{name}：{} 字节的构成", units::count(size)),
    };
    let part = |bytes: u64| 100.0 * bytes as f64 / (size.max(1)) as f64;
    // Of a type that gives no size the room up to the next tensor is drawn, which is no share.
    let of = |content: &Content<'_>, bytes: u64| match content {
        Content::Tensors(ty) if !has_size(*ty) => format!("≤ {}", units::bytes(bytes)),
        _ => format!("{:.2}%", part(bytes)),
    };
    let areas = map.areas.iter().take(MAX_LEGEND);
    let areas: Vec<String> = areas
        .map(|area| format!("{} {}", label(&area.content, lang), of(&area.content, area.bytes)))
        .collect();
    let areas = areas.join(Text::new(", ", "，").get(lang));
    let told: Vec<String> = gaps.iter().cloned().chain([areas]).collect();
    let mut out = String::new();
    // Writing to a string does not fail.
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-labelledby=\"t d\" width=\"{WIDTH}\" height=\"{height}\" \
         viewBox=\"0 0 {WIDTH} {height}\" font-family=\"system-ui, sans-serif\" font-size=\"14\">"
    );
    let _ = writeln!(out, "<title id=\"t\">{}</title>", escaped(&title));
    let _ = writeln!(out, "<desc id=\"d\">{}</desc>", escaped(&told.join(Text::new(". ", "。").get(lang))));
    let _ = writeln!(out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>");
    let _ = writeln!(
        out,
        "<text x=\"{EDGE}\" y=\"{}\" font-size=\"16\" font-weight=\"600\" fill=\"#16202b\">{}</text>",
        EDGE + LINE,
        escaped(&title)
    );
    for (at, gap) in gaps.iter().enumerate() {
        let _ = writeln!(
            out,
            "<text x=\"{EDGE}\" y=\"{}\" font-weight=\"600\" fill=\"#a02c20\">{}</text>",
            EDGE + LINE * (2.0 + at as f64),
            escaped(gap)
        );
    }
    let room = WIDTH - 2.0 * EDGE;
    for (at, file) in model.parts().enumerate().take(files) {
        let y = top + at as f64 * (BAR + LINE);
        let own = || map.regions.iter().filter(move |region| region.part == at);
        let all = own().map(|region| region.span.len).fold(0, u64::saturating_add).max(1);
        for region in own() {
            let x = EDGE + room * region.span.start as f64 / all as f64;
            // Thinner than this nothing is to be seen.
            let width = (room * region.span.len as f64 / all as f64).max(0.25);
            let text = format!(
                "{} {}..{}, {}",
                label(&region.content, lang),
                region.span.start,
                region.span.end(),
                units::bytes(region.span.len)
            );
            let _ = writeln!(
                out,
                "<rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{BAR}\" fill=\"{}\"><title>{}</title></rect>",
                colour(&region.content, &map.areas),
                escaped(&text)
            );
        }
        if model.len() > 1 {
            let name = file.file_name.map(|name| ggufkit_format::shorten(name.as_bytes(), 120));
            let _ = writeln!(
                out,
                "<text x=\"{EDGE}\" y=\"{}\" font-size=\"12\" fill=\"#4a5560\">{}</text>",
                y + BAR + 14.0,
                escaped(&name.unwrap_or_default())
            );
        }
    }
    for (at, area) in map.areas.iter().take(MAX_LEGEND).enumerate() {
        let y = top + files as f64 * (BAR + LINE) + at as f64 * LINE;
        let (name, share) = (label(&area.content, lang), of(&area.content, area.bytes));
        let text = match area.content {
            Content::Tensors(ty) if !has_size(ty) => format!("{name}  {share}"),
            _ => format!("{name}  {}  {share}", units::bytes(area.bytes)),
        };
        let _ = writeln!(
            out,
            "<rect x=\"{EDGE}\" y=\"{y}\" width=\"14\" height=\"14\" rx=\"3\" fill=\"{}\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"#16202b\">{}</text>",
            colour(&area.content, &map.areas),
            EDGE + 22.0,
            y + 12.0,
            escaped(&text)
        );
    }
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn no_text_of_a_file_is_markup() {
        assert_eq!(escaped("<a href=\"x\">&'\u{1}"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\u{fffd}");
    }
}
