//! Paths in messages: as text that no terminal acts on.

use std::fmt;
use std::path::Path;

use ggufkit_format::Escaped;

/// A path with everything escaped that could act on a terminal or break a line.
pub(crate) struct Shown<'a>(pub(crate) &'a Path);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0.as_os_str().as_encoded_bytes();
        if !cfg!(windows) {
            return write!(f, "{}", Escaped(bytes));
        }
        // A backslash separates there; doubling it would make another path of it.
        for (at, piece) in bytes.split(|&b| b == b'\\').enumerate() {
            if at > 0 {
                f.write_str("\\")?;
            }
            write!(f, "{}", Escaped(piece))?;
        }
        Ok(())
    }
}
