//! A terminal explorer of GGUF files: the tag, the tensors, the bytes and what is wrong, each one key away from the others.
//!
//! * [`Explorer`] is the whole of it without a terminal: it takes [`Action`]s and draws on any frame, which is how its tests
//!   drive it.
//! * [`explore`] gives it a terminal: the alternate screen, keys and mouse, and the terminal as it was when it ends.
//!
//! It reads through [`ReadAt`](ggufkit::format::ReadAt) and changes nothing. Text of a file reaches the screen escaped.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod action;
mod draw;
mod explorer;
mod faults;
mod file;
mod list;
mod over;
mod panes;
mod prompt;
mod scroll;
mod terminal;
mod text;
mod theme;
mod words;

pub use action::{Action, of_key, of_mouse};
pub use explorer::{Explorer, Pane, Settings};
pub use terminal::explore;
pub use words::reading;
