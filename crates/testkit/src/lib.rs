//! Builds GGUF files with named positions, for tests.
