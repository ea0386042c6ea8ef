//! Text in columns: breaks lines at spaces and between Chinese characters, and keeps styles.

use anstyle::Style;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A piece of text in one style.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) style: Style,
    pub(crate) text: String,
}

impl Run {
    pub(crate) fn new(style: Style, text: impl Into<String>) -> Self {
        Self { style, text: text.into() }
    }

    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::new(Style::new(), text)
    }
}

/// Columns of a line.
pub(crate) fn width_of(line: &[Run]) -> usize {
    line.iter().map(|run| run.text.width()).sum()
}

/// Closing marks that do not begin a line.
const NOT_FIRST: &str = "，。、；：？！）》」』】”’…·,.;:?!)]}%";
/// Opening marks that do not end a line.
const NOT_LAST: &str = "（《「『【“‘([{";

/// Whether a line may break between two characters that no space parts.
fn breaks_between(a: char, b: char) -> bool {
    let wide = |c: char| c.width() == Some(2);
    (wide(a) || wide(b)) && !NOT_FIRST.contains(b) && !NOT_LAST.contains(a)
}

/// The text in lines of at most `width` columns. Spaces at a break are dropped, others are kept.
pub(crate) fn fill(runs: &[Run], width: usize) -> Vec<Vec<Run>> {
    let width = width.max(8);
    if is_one_line(runs, width) {
        return vec![merged(runs.to_vec())];
    }
    let mut lines = Lines { width, done: Vec::new(), line: Vec::new(), column: 0, spaces: 0 };
    let mut atom: Vec<(char, Style)> = Vec::new();
    for (c, style) in runs.iter().flat_map(|run| run.text.chars().map(|c| (c, run.style))) {
        match c {
            '\n' => {
                lines.place(&mut atom);
                lines.end();
            }
            ' ' => {
                lines.place(&mut atom);
                lines.spaces += 1;
            }
            _ => {
                if atom.last().is_some_and(|(last, _)| breaks_between(*last, c)) {
                    lines.place(&mut atom);
                }
                atom.push((c, style));
            }
        }
    }
    lines.place(&mut atom);
    if !lines.line.is_empty() || lines.done.is_empty() {
        lines.end();
    }
    lines.done
}

/// As [`fill`], for runs that are not needed any more.
pub(crate) fn fill_owned(runs: Vec<Run>, width: usize) -> Vec<Vec<Run>> {
    if is_one_line(&runs, width.max(8)) { vec![merged(runs)] } else { fill(&runs, width) }
}

/// Whether the text is one line as it stands. Most texts are; they need no look at each character.
fn is_one_line(runs: &[Run], width: usize) -> bool {
    // Of ASCII a byte is a column.
    let simple = |run: &Run| run.text.bytes().all(|b| matches!(b, b' '..=b'~'));
    let columns = if runs.iter().all(simple) {
        runs.iter().map(|run| run.text.len()).sum()
    } else {
        let of = |c: char| if c == '\n' { width + 1 } else { c.width().unwrap_or(0) };
        runs.iter().flat_map(|run| run.text.chars()).map(of).fold(0_usize, usize::saturating_add)
    };
    let mut written = runs.iter().filter(|run| !run.text.is_empty());
    let first = written.next();
    let last = written.next_back().or(first);
    columns <= width
        && first.is_some_and(|run| !run.text.starts_with(' '))
        && last.is_some_and(|run| !run.text.ends_with(' '))
}

/// Neighbours of one style as one run.
fn merged(mut runs: Vec<Run>) -> Vec<Run> {
    runs.retain(|run| !run.text.is_empty());
    runs.dedup_by(|next, run| {
        let same = next.style == run.style;
        if same {
            run.text.push_str(&next.text);
        }
        same
    });
    runs
}

struct Lines {
    width: usize,
    done: Vec<Vec<Run>>,
    line: Vec<Run>,
    column: usize,
    spaces: usize,
}

impl Lines {
    /// Sets down what must not be broken, on this line or the next.
    fn place(&mut self, atom: &mut Vec<(char, Style)>) {
        if atom.is_empty() {
            return;
        }
        let columns: usize = atom.iter().map(|(c, _)| c.width().unwrap_or(0)).sum();
        if self.column > 0 && self.column + self.spaces + columns > self.width {
            self.end();
        }
        let spaces = std::mem::take(&mut self.spaces);
        if let Some((_, style)) = atom.first().filter(|_| self.column > 0) {
            // A space belongs to the text around it, so that an underlined phrase has no holes.
            let style =
                if self.line.last().is_some_and(|run| run.style == *style) { *style } else { Style::new() };
            (0..spaces).for_each(|_| self.push(' ', style));
        }
        for (c, style) in atom.drain(..) {
            let columns = c.width().unwrap_or(0);
            // Longer than a whole line: broken where it must be.
            if self.column > 0 && self.column + columns > self.width {
                self.end();
            }
            self.push(c, style);
        }
    }

    fn push(&mut self, c: char, style: Style) {
        self.column += c.width().unwrap_or(0);
        match self.line.last_mut() {
            Some(run) if run.style == style => run.text.push(c),
            _ => self.line.push(Run::new(style, c)),
        }
    }

    fn end(&mut self) {
        self.done.push(std::mem::take(&mut self.line));
        (self.column, self.spaces) = (0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, width: usize) -> Vec<String> {
        let joined = |line: &Vec<Run>| line.iter().map(|run| run.text.as_str()).collect();
        fill(&[Run::plain(text)], width).iter().map(joined).collect()
    }

    #[test]
    fn lines_break_at_spaces_and_between_wide_characters() {
        assert_eq!(lines("one two three", 9), ["one two", "three"]);
        assert_eq!(lines("张量的数据从对齐处开始", 10), ["张量的数据", "从对齐处开", "始"]);
        // A full stop does not begin a line, an opening bracket does not end one.
        assert_eq!(lines("张量的数据。", 10), ["张量的数", "据。"]);
        assert_eq!(lines("张量的数（据）", 10), ["张量的数", "（据）"]);
        assert_eq!(lines("使用 u32 类型", 8), ["使用 u32", "类型"]);
        assert_eq!(lines("abcdefghijkl", 8), ["abcdefgh", "ijkl"]);
        assert_eq!(lines("a  b", 8), ["a  b"]);
        assert_eq!(lines(" a b ", 8), ["a b"]);
        assert_eq!(lines("abcdefgh", 8), ["abcdefgh"]);
        assert_eq!(lines("a\nb", 8), ["a", "b"]);
        assert_eq!(lines("", 8), [""]);
    }

    #[test]
    fn styles_survive() {
        let bold = Style::new().bold();
        let filled = fill(&[Run::plain("one "), Run::new(bold, "two three"), Run::plain(" four")], 9);
        assert_eq!(filled.len(), 3);
        assert_eq!(filled[0], [Run::plain("one "), Run::new(bold, "two")]);
        assert_eq!(filled[1], [Run::new(bold, "three")]);
        assert_eq!(width_of(&filled[0]), 7);
        // Neighbours of one style are one run, on one line as on several.
        let filled = fill(&[Run::plain("a "), Run::plain(""), Run::plain("b"), Run::new(bold, "c")], 9);
        assert_eq!(filled, [[Run::plain("a b"), Run::new(bold, "c")]]);
    }
}
