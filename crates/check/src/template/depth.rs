//! How deeply a template nests: told before a parser that recurses sees it.

use super::lex::{Placed, Tag, Token};

/// Statements inside statements, and branches of one `if`.
const MAX_STATEMENTS: usize = 64;
/// Brackets inside brackets of one tag.
const MAX_BRACKETS: usize = 48;
/// Operators that hang on each other: `a.b.c`, `a | b | c`, `a + b + c`.
const MAX_CHAIN: usize = 256;

/// Follows the nesting of a template, tag by tag.
#[derive(Debug, Default)]
pub(super) struct Depth {
    /// For each open statement, how deep it and its branches go.
    statements: Vec<u32>,
    /// The sum of the above.
    open: usize,
    /// The deepest that was met.
    pub(super) statements_max: usize,
    pub(super) brackets_max: usize,
    pub(super) chain_max: usize,
}

impl Depth {
    pub(super) fn tag(&mut self, tag: Tag, tokens: &[Placed<'_>]) {
        if tag == Tag::Statement {
            self.statement(tokens);
        }
        // Operators of each open bracket since its last comma; what is open adds up.
        let mut levels: Vec<usize> = vec![0];
        let mut sum = 0_usize;
        for token in tokens {
            match token.token {
                Token::Op(b"(" | b"[" | b"{") => {
                    levels.push(0);
                    sum += 1;
                }
                Token::Op(b")" | b"]" | b"}") if levels.len() > 1 => {
                    // What stood inside hangs on nothing any more, but a call or index is itself a link.
                    sum -= levels.pop().unwrap_or(0) + 1;
                    if let Some(level) = levels.last_mut() {
                        *level += 1;
                        sum += 1;
                    }
                }
                Token::Op(b"," | b":") => {
                    if let Some(level) = levels.last_mut() {
                        sum -= *level;
                        *level = 0;
                    }
                }
                Token::Op(_) | Token::Word(b"and" | b"or" | b"not" | b"in" | b"is" | b"if" | b"else") => {
                    if let Some(level) = levels.last_mut() {
                        *level += 1;
                        sum += 1;
                    }
                }
                _ => {}
            }
            self.brackets_max = self.brackets_max.max(levels.len() - 1);
            self.chain_max = self.chain_max.max(sum);
            // Beyond the limits only the fact counts, and `levels` stays small.
            if self.brackets_max > MAX_BRACKETS {
                return;
            }
        }
    }

    fn statement(&mut self, tokens: &[Placed<'_>]) {
        let Some(word) = tokens.first().and_then(Placed::word) else { return };
        match word {
            b"elif" => {
                if let Some(last) = self.statements.last_mut() {
                    *last = last.saturating_add(1);
                    self.open += 1;
                }
            }
            b"if" | b"for" | b"macro" | b"call" | b"filter" | b"with" | b"block" | b"autoescape" => {
                self.push()
            }
            // `set x` without a value opens a block.
            b"set" if !tokens.iter().any(|token| token.is_op(b"=")) => self.push(),
            word if word.starts_with(b"end") => {
                let depth = self.statements.pop().unwrap_or(0) as usize;
                self.open = self.open.saturating_sub(depth);
            }
            _ => {}
        }
        self.statements_max = self.statements_max.max(self.open);
    }

    fn push(&mut self) {
        self.statements.push(1);
        self.open += 1;
    }

    /// What goes beyond what a recursive parser can be trusted with, in words.
    pub(super) fn excess(&self) -> Option<String> {
        if self.statements_max > MAX_STATEMENTS {
            Some(format!("its statements nest {} deep, the limit is {MAX_STATEMENTS}", self.statements_max))
        } else if self.brackets_max > MAX_BRACKETS {
            Some(format!("its brackets nest more than {MAX_BRACKETS} deep"))
        } else if self.chain_max > MAX_CHAIN {
            Some(format!(
                "an expression is a chain of {} operators, the limit is {MAX_CHAIN}",
                self.chain_max
            ))
        } else {
            None
        }
    }
}
