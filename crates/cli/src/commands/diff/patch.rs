//! A diff as a document of operations that `gguf apply` takes.

use std::io::{self, Write as _};

use ggufkit::edit::patch::{JsonOperation, Left, Patch};
use ggufkit::inspect::json::{SCHEMA, write};

use crate::out::{self, Ink, Out};

/// Names of what is left that are told.
const FEW: usize = 3;

/// Writes the document, one operation a line, and says on standard error what it leaves.
pub(super) fn print(out: &mut Out, patch: &Patch, exact: bool) -> io::Result<()> {
    let exact = if exact { "\"exact\":true," } else { "" };
    write!(out, "{{\"schema\":{SCHEMA},{exact}\"operations\":[")?;
    for (at, operation) in patch.operations.iter().enumerate() {
        out.write_all(if at == 0 { b"\n  " } else { b",\n  " })?;
        write(&mut *out, &JsonOperation(operation), false)?;
    }
    writeln!(out, "\n]}}")?;
    for Left { what, names } in &patch.left {
        let mut list: Vec<String> = names.iter().take(FEW).map(|name| out::fit(name, 80)).collect();
        if names.len() > FEW {
            list.push(format!("and {} more", names.len() - FEW));
        }
        let list = if list.is_empty() { String::new() } else { format!(": {}", list.join(", ")) };
        out.message(Ink::Warn, "not in the patch", &format!("{what}{list}"))?;
    }
    Ok(())
}
