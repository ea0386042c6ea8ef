//! Which rows of a text are on the screen.

use std::ops::Range;

/// A window over rows of a text.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Scroll {
    /// The first row on the screen.
    at: usize,
}

impl Scroll {
    /// Goes down by so many rows, or up.
    pub(crate) fn step(&mut self, by: i64) {
        self.at = self.at.saturating_add_signed(isize::try_from(by).unwrap_or(isize::MIN));
    }

    /// To the first row.
    pub(crate) const fn top(&mut self) {
        self.at = 0;
    }

    /// To the last rows.
    pub(crate) const fn bottom(&mut self) {
        self.at = usize::MAX;
    }

    /// The rows on a screen of this height: the last row stands at its end at most.
    pub(crate) fn rows(&mut self, len: usize, height: usize) -> Range<usize> {
        self.at = self.at.min(len.saturating_sub(height.max(1)));
        self.at..self.at.saturating_add(height).min(len)
    }
}

/// That there is more than is seen, and in which direction; `None` where everything is.
pub(crate) fn mark(shown: &Range<usize>, len: usize) -> Option<String> {
    let up = if shown.start > 0 { "▲" } else { "" };
    let down = if shown.end < len { "▼" } else { "" };
    (shown.len() < len).then(|| format!("{up}{down} {}/{len}", shown.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_row_is_behind_the_last_and_what_is_hidden_is_marked() {
        let mut scroll = Scroll::default();
        assert_eq!((scroll.rows(3, 5), mark(&(0..3), 3)), (0..3, None));
        assert_eq!((scroll.rows(9, 4), mark(&(0..4), 9)), (0..4, Some("▼ 4/9".to_owned())));
        scroll.step(2);
        assert_eq!((scroll.rows(9, 4), mark(&(2..6), 9)), (2..6, Some("▲▼ 6/9".to_owned())));
        scroll.bottom();
        assert_eq!((scroll.rows(9, 4), mark(&(5..9), 9)), (5..9, Some("▲ 9/9".to_owned())));
        scroll.step(i64::MIN);
        assert_eq!(scroll.rows(9, 4), 0..4);
        assert_eq!(scroll.rows(9, 0), 0..0);
    }
}
