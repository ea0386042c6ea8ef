//! The first of very many.

/// What was met, of which only the first few are kept.
#[derive(Clone, Debug)]
pub(crate) struct Few<T> {
    first: Vec<T>,
    count: u64,
}

impl<T> Default for Few<T> {
    fn default() -> Self {
        Self { first: Vec::new(), count: 0 }
    }
}

impl<T> Few<T> {
    /// How many are kept.
    pub(crate) const KEPT: usize = 8;

    pub(crate) fn push(&mut self, one: T) {
        if self.first.len() < Self::KEPT {
            self.first.push(one);
        }
        self.count = self.count.saturating_add(1);
    }

    /// The first ones.
    pub(crate) fn kept(&self) -> &[T] {
        &self.first
    }

    /// The very first.
    pub(crate) fn first(&self) -> Option<&T> {
        self.first.first()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The first ones in words, with the number of those that are not said: `3, 7, 9 and 12 more`.
    pub(crate) fn list(&self, say: impl FnMut(&T) -> String) -> String {
        let said: Vec<String> = self.first.iter().map(say).collect();
        let more = self.count.saturating_sub(said.len() as u64);
        match (more, said.split_last()) {
            (0, Some((last, before))) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            (0, _) => said.join(", "),
            _ => format!("{} and {more} more", said.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Few;

    #[test]
    fn what_is_not_said_is_counted() {
        let mut few = Few::default();
        assert_eq!(few.list(u32::to_string), "");
        few.push(1_u32);
        assert_eq!(few.list(u32::to_string), "1");
        few.push(2);
        assert_eq!(few.list(u32::to_string), "1 and 2");
        (3..=20).for_each(|n| few.push(n));
        assert_eq!(few.list(u32::to_string), "1, 2, 3, 4, 5, 6, 7, 8 and 12 more");
    }
}
