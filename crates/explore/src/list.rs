//! Which of many rows is selected, and which are on the screen.

use std::ops::Range;

/// A window of rows over a list of any length.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct List {
    /// The row that is selected.
    pub(crate) at: u64,
    /// The first row on the screen.
    top: u64,
}

impl List {
    /// Selects a row, or the last one where there are fewer.
    pub(crate) fn go(&mut self, to: u64, len: u64) {
        self.at = to.min(len.saturating_sub(1));
    }

    /// Goes down by so many rows, or up.
    pub(crate) fn step(&mut self, by: i64, len: u64) {
        self.go(self.at.saturating_add_signed(by), len);
    }

    /// The rows on a screen of this height, the selected one among them.
    pub(crate) fn rows(&mut self, len: u64, height: u64) -> Range<u64> {
        let height = height.max(1);
        self.at = self.at.min(len.saturating_sub(1));
        let last = len.saturating_sub(height);
        let lowest = self.at.saturating_sub(height.saturating_sub(1));
        self.top = self.top.clamp(lowest, self.at).min(last);
        self.top..self.top.saturating_add(height).min(len)
    }

    /// The row that stands so far below the first one on the screen.
    pub(crate) const fn shown(&self, below: u64) -> u64 {
        self.top.saturating_add(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selected_row_is_on_the_screen_and_no_row_is_behind_the_last() {
        let mut list = List::default();
        assert_eq!(list.rows(100, 10), 0..10);
        list.step(9, 100);
        assert_eq!(list.rows(100, 10), 0..10);
        list.step(1, 100);
        assert_eq!((list.at, list.rows(100, 10)), (10, 1..11));
        list.go(99, 100);
        assert_eq!(list.rows(100, 10), 90..100);
        list.step(i64::MIN, 100);
        assert_eq!((list.at, list.rows(100, 10)), (0, 0..10));
        list.go(u64::MAX, 3);
        assert_eq!((list.at, list.rows(3, 10)), (2, 0..3));
        assert_eq!(list.rows(0, 10), 0..0);
        // A list that became shorter.
        list.go(50, 100);
        assert_eq!(list.rows(5, 3), 2..5);
        assert_eq!(list.at, 4);
    }
}
