//! A topic as lines of text.

use std::io::{self, Write as _};

use anstyle::{AnsiColor, Color, Style};
use ggufkit::format::spec::Lang;
use ggufkit::inspect::explain::{Block, Topic};

use super::wrap::{Run, fill};
use super::{draw, table};
use crate::out::Out;

/// Text is not set wider than this, however wide the terminal is.
const MEASURE: usize = 100;

pub(super) const BOLD: Style = Style::new().bold();
pub(super) const FAINT: Style = Style::new().dimmed();
pub(super) const CODE: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Cyan)));
const LINES: Style = Style::new().fg_color(Some(Color::Ansi(AnsiColor::Green)));

/// Columns that text may take.
pub(super) fn measure(out: &Out) -> usize {
    out.width().min(MEASURE)
}

/// Prints a topic.
pub(super) fn topic(out: &mut Out, topic: &Topic, lang: Lang) -> io::Result<()> {
    let width = measure(out);
    print(out, 0, &fill(&[Run::new(BOLD, topic.title.clone())], width))?;
    writeln!(out)?;
    print(out, 0, &fill(&inline(&topic.summary, out.color()), width))?;
    for block in &topic.body {
        writeln!(out)?;
        self::block(out, block, lang)?;
    }
    if !topic.see.is_empty() {
        let (word, joint) = match lang {
            Lang::En => ("See also: ", ", "),
            Lang::Zh => ("另见：", "、"),
        };
        let runs = [Run::new(FAINT, word), Run::plain(topic.see.join(joint))];
        writeln!(out)?;
        print(out, 0, &fill(&runs, width))?;
    }
    Ok(())
}

fn block(out: &mut Out, block: &Block, lang: Lang) -> io::Result<()> {
    let width = measure(out);
    match block {
        Block::Heading { text } => print(out, 0, &fill(&[Run::new(BOLD, text.clone())], width)),
        Block::Text { text } => print(out, 0, &fill(&inline(text, out.color()), width)),
        Block::List { numbered, items } => list(out, *numbered, items),
        Block::Verbatim { lines } => {
            for line in lines {
                print(out, 4, &fill(&[Run::new(LINES, line.clone())], width.saturating_sub(4)))?;
            }
            Ok(())
        }
        Block::Table { head, rows } => table::table(out, head, rows),
        Block::Strip { unit, cells } => draw::strip(out, unit, cells),
        Block::Bits { rows } => draw::bits(out, rows, lang),
        Block::Fields { rows } => draw::fields(out, rows),
    }
}

fn list(out: &mut Out, numbered: bool, items: &[String]) -> io::Result<()> {
    let width = measure(out);
    let indent = if numbered { items.len().to_string().len() + 2 } else { 2 };
    for (i, item) in items.iter().enumerate() {
        let mark = if numbered { format!("{}.", i + 1) } else { "-".to_owned() };
        for (n, line) in fill(&inline(item, out.color()), width.saturating_sub(indent)).iter().enumerate() {
            let mark = if n == 0 { mark.as_str() } else { "" };
            write!(out, "{mark:indent$}")?;
            print_line(out, line)?;
        }
    }
    Ok(())
}

/// `code` and **strong** as styles. Without colour the quotes of code stay, for want of another mark.
pub(super) fn inline(text: &str, color: bool) -> Vec<Run> {
    let mut runs = Vec::new();
    for (i, piece) in text.split('`').enumerate() {
        if i % 2 == 1 {
            runs.push(if color { Run::new(CODE, piece) } else { Run::plain(format!("`{piece}`")) });
            continue;
        }
        for (n, words) in piece.split("**").enumerate() {
            runs.push(if n % 2 == 1 { Run::new(BOLD, words) } else { Run::plain(words) });
        }
    }
    runs
}

/// Prints lines of runs after an indent.
pub(super) fn print(out: &mut Out, indent: usize, lines: &[Vec<Run>]) -> io::Result<()> {
    for line in lines {
        if !line.is_empty() {
            write!(out, "{:indent$}", "")?;
        }
        print_line(out, line)?;
    }
    Ok(())
}

/// Prints a line of runs.
pub(super) fn print_line(out: &mut Out, line: &[Run]) -> io::Result<()> {
    print_runs(out, line)?;
    writeln!(out)
}

/// Prints runs without ending the line.
pub(super) fn print_runs(out: &mut Out, line: &[Run]) -> io::Result<()> {
    for run in line {
        let text = out.styled(run.style, &run.text).to_string();
        write!(out, "{text}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_become_styles_or_stay() {
        let runs = inline("a `b` **c** d", true);
        assert_eq!(
            runs.iter().filter(|run| !run.text.is_empty()).cloned().collect::<Vec<_>>(),
            [Run::plain("a "), Run::new(CODE, "b"), Run::plain(" "), Run::new(BOLD, "c"), Run::plain(" d")]
        );
        let text: String = inline("a `b`", false).into_iter().map(|run| run.text).collect();
        assert_eq!(text, "a `b`");
    }
}
