//! Which command makes a change that a finding proposes.

use crate::finding::{Change, Fix, Safety};
use crate::rule::Rule;

/// Safe changes that findings propose are made as such.
const FIX: &str = "`gguf check --fix FILE -o OUT`";

/// How a fix is made: the command that does it, or that somebody has to.
pub(super) fn how(rule: &Rule, fix: &Fix) -> &'static str {
    match (&fix.change, fix.safety, rule.name) {
        // Whatever belongs to no tensor goes only when that is asked for.
        (Change::Cut { .. }, _, _) => "`gguf repair FILE -o OUT --cut-trailing`",
        (Change::Separate { .. }, _, _) => "`gguf repair FILE -o FOLDER --separate`",
        // A head that is written anew is the work of repair, which recognises the layout by itself.
        (Change::Rewrite, _, _) => "`gguf repair FILE -o OUT`",
        (_, Safety::Safe, _) => FIX,
        (_, Safety::Unsafe, "duplicate-key") => "`gguf repair FILE -o OUT --duplicates keep-first`",
        (_, Safety::Unsafe, "bom-in-text") => "`gguf repair FILE -o OUT`",
        (_, Safety::Unsafe, _) => "no command makes this decision",
    }
}
