//! A rule that reads names as others.

/// Names that match one pattern are read as another, the text of its `*` included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Rename {
    from: (Vec<u8>, Option<Vec<u8>>),
    to: (Vec<u8>, Option<Vec<u8>>),
}

fn cut(text: &str) -> Result<(Vec<u8>, Option<Vec<u8>>), String> {
    match text.split_once('*') {
        Some((_, rest)) if rest.contains('*') => Err(format!("{text}: one * is all that can be told apart")),
        Some((before, after)) => Ok((before.into(), Some(after.into()))),
        None => Ok((text.into(), None)),
    }
}

impl Rename {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (from, to) = text.split_once('=').ok_or("a rule is FROM=TO, as in 'model.*=*'")?;
        let (from, to) = (cut(from)?, cut(to)?);
        if from.1.is_none() && to.1.is_some() {
            return Err("TO has a * and FROM has none".to_owned());
        }
        Ok(Self { from, to })
    }

    /// The rule as it is typed, harmless for a terminal.
    pub(super) fn shown(&self) -> String {
        let side = |(before, after): &(Vec<u8>, Option<Vec<u8>>)| match after {
            Some(after) => [before.as_slice(), b"*", after].concat(),
            None => before.clone(),
        };
        crate::out::fit(&[side(&self.from), b"=".to_vec(), side(&self.to)].concat(), 100)
    }

    /// The other name; `None` where the rule is not about this one.
    pub(super) fn apply(&self, name: &[u8]) -> Option<Vec<u8>> {
        let (before, after) = &self.from;
        let middle = match after {
            Some(after) => name.strip_prefix(before.as_slice())?.strip_suffix(after.as_slice())?,
            None => (name == before.as_slice()).then_some(&b""[..])?,
        };
        let (before, after) = &self.to;
        Some(match after {
            Some(after) => [before, middle, after].concat(),
            None => before.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_the_star_goes_along() {
        let rule = |text: &str, name: &str| Rename::parse(text).unwrap().apply(name.as_bytes());
        assert_eq!(Rename::parse("a.*.b=*c").unwrap().shown(), "a.*.b=*c");
        assert_eq!(rule("model.*=*", "model.blk.0.attn"), Some(b"blk.0.attn".to_vec()));
        assert_eq!(rule("*.w=*.weight", "output.w"), Some(b"output.weight".to_vec()));
        assert_eq!(rule("lm_head=output", "lm_head"), Some(b"output".to_vec()));
        assert_eq!(rule("model.*=*", "blk.0"), None);
        assert_eq!(rule("ab*ba=x", "aba"), None);
        for wrong in ["abc", "a*b*=c", "a=*"] {
            assert!(Rename::parse(wrong).is_err(), "{wrong}");
        }
    }
}
