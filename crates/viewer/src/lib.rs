//! GGUF files in a browser.
//!
//! * [`answer`] is pure: a [`Session`](answer::Session) holds open files and answers questions with JSON. It knows no socket
//!   and prints nothing; the page, a report and a WebAssembly build all get their data from it.
//! * [`server`] (feature `server`) puts it behind HTTP on the loopback interface, for one page that knows a secret.
//! * [`page`] is the page itself, as it was built from `web/`; [`report`] puts it and the answers into one file; [`svg`]
//!   draws the map of a model alone.
//!
//! What is asked and answered is written down in `web/src/backend/questions.ts`, in the page's own language.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod answer;
pub mod page;
pub mod report;
#[cfg(feature = "server")]
pub mod server;
pub mod svg;
