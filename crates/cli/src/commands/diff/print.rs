//! A diff for a terminal, and as Markdown.

use std::io::{self, Write as _};

use super::say::{Below, Item, Section, Values};
use crate::out::{self, Ink, Out, pad};

/// Columns that names and types are aligned to, at most.
const NAME: usize = 36;
const WHAT: usize = 24;

/// Prints the sections.
pub(super) fn terminal(out: &mut Out, sections: &[Section]) -> io::Result<()> {
    let edge = out.edge();
    for section in sections {
        let title = out.paint(Ink::Head, section.title);
        let counts = out.paint(Ink::Faint, &section.counts);
        writeln!(out, "{title}  {counts}")?;
        let wide = |text: fn(&Item) -> &str, most: usize| {
            let columns = section.items.iter().map(|item| out::columns(text(item)));
            columns.filter(|columns| *columns <= most).max().unwrap_or(0)
        };
        let (names, whats) = (wide(|item| &item.name, NAME), wide(|item| &item.what, WHAT));
        for item in &section.items {
            print_item(out, item, names, whats, edge)?;
        }
        if section.more > 0 {
            let more = format!("  … {} more (--all)", ggufkit::inspect::units::count(section.more));
            let more = out.paint(Ink::Faint, more);
            writeln!(out, "{more}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn print_item(out: &mut Out, item: &Item, names: usize, whats: usize, edge: Option<usize>) -> io::Result<()> {
    let (sign, ink) = item.mark.sign();
    let edge = edge.unwrap_or(usize::MAX);
    // A name that is too long for its column pushes the rest to the next line, where that does not fit either.
    let name = pad(&item.name, names);
    let mut used = 4 + out::columns(&name);
    let sign = out.paint(ink, sign);
    let painted = out.paint(Ink::Key, name.trim_end());
    write!(out, "  {sign} {painted}")?;
    let fill = out::columns(&name).saturating_sub(out::columns(name.trim_end()));
    let has_values = !matches!(item.values, Values::None);
    if !item.what.is_empty() || (whats > 0 && has_values) {
        let what = pad(&item.what, whats);
        let painted = out.paint(Ink::Type, what.trim_end());
        if used + 2 + out::columns(what.trim_end()) > edge {
            write!(out, "\n      {painted}")?;
            used = 6 + out::columns(what.trim_end());
        } else {
            write!(out, "{:fill$}  {painted}", "")?;
            let rest = out::columns(&what).saturating_sub(out::columns(what.trim_end()));
            used += 2 + out::columns(&what);
            if has_values {
                write!(out, "{:rest$}", "")?;
            }
        }
    } else if has_values {
        write!(out, "{:fill$}", "")?;
    }
    match &item.values {
        Values::None => writeln!(out)?,
        Values::One(text) => {
            if used + 2 + out::columns(text) > edge {
                write!(out, "\n    ")?;
            }
            let text = out.paint(Ink::Text, text);
            writeln!(out, "  {text}")?;
        }
        Values::Both(a, b) => {
            if used + 5 + out::columns(a) + out::columns(b) <= edge.min(160) {
                let (a, b) = (out.paint(Ink::Number, a), out.paint(Ink::Text, b));
                writeln!(out, "  {a} → {b}")?;
            } else {
                writeln!(out)?;
                for (sign, ink, text) in [("-", Ink::Bad, a), ("+", Ink::Good, b)] {
                    let line = out.paint(ink, format!("{sign} {text}"));
                    writeln!(out, "      {line}")?;
                }
            }
        }
    }
    for Below { sign, text } in &item.below {
        let ink = match sign {
            '+' => Some(Ink::Good),
            '-' => Some(Ink::Bad),
            '@' => Some(Ink::Faint),
            _ => None,
        };
        let sign = if *sign == '@' { String::new() } else { format!("{sign} ") };
        let line = format!("{sign}{text}");
        match ink {
            Some(ink) => {
                let line = out.paint(ink, line);
                writeln!(out, "      {line}")?;
            }
            None => writeln!(out, "      {}", line.trim_end())?,
        }
    }
    Ok(())
}

/// Prints the sections as Markdown. What a file says stands in code, where it is no markup.
pub(super) fn markdown(out: &mut Out, sections: &[Section]) -> io::Result<()> {
    for section in sections {
        let mut title = section.title.to_owned();
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        writeln!(out, "\n## {title}\n\n{}.\n", section.counts)?;
        for item in &section.items {
            write!(out, "- {} {}", item.mark.word(), code(&item.name))?;
            if !item.what.is_empty() {
                write!(out, " ({})", code(&item.what))?;
            }
            match &item.values {
                Values::None => {}
                Values::One(text) => write!(out, ": {}", code(text))?,
                Values::Both(a, b) => write!(out, ": {} → {}", code(a), code(b))?,
            }
            writeln!(out)?;
            if !item.below.is_empty() {
                // Longer than any stretch of backticks in it.
                let longest = item.below.iter().map(|line| ticks(&line.text)).max().unwrap_or(0);
                let fence = "`".repeat(longest.max(2) + 1);
                writeln!(out, "\n  {fence}diff")?;
                for Below { sign, text } in &item.below {
                    let sign = if *sign == '@' { String::new() } else { sign.to_string() };
                    writeln!(out, "  {}", format!("{sign}{text}").trim_end())?;
                }
                writeln!(out, "  {fence}\n")?;
            }
        }
        if section.more > 0 {
            writeln!(out, "- … {} more", ggufkit::inspect::units::count(section.more))?;
        }
    }
    Ok(())
}

/// The longest stretch of backticks.
fn ticks(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// Text as a code span, whatever is in it.
pub(super) fn code(text: &str) -> String {
    let fence = "`".repeat(ticks(text) + 1);
    let space = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    if text.is_empty() { "(empty)".to_owned() } else { format!("{fence}{space}{text}{space}{fence}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_a_file_stays_in_its_code_span() {
        for (text, span) in [
            ("a", "`a`"),
            ("a`b", "``a`b``"),
            ("`a``", "``` `a`` ```"),
            ("", "(empty)"),
            ("<b>*x*", "`<b>*x*`"),
        ] {
            assert_eq!(code(text), span);
        }
    }
}
