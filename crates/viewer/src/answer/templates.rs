//! Chat templates.
/// Renders a chat template.
pub type Renderer = dyn Fn() + Send + Sync;
