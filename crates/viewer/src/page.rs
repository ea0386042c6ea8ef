//! The page, as it was built from `web/`.

/// One of the page's files.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    /// Its name below `assets/`.
    pub name: &'static str,
    /// Its media type.
    pub media: &'static str,
    /// Its bytes.
    pub bytes: &'static [u8],
}

/// The document.
pub const INDEX: &str = include_str!("../page/index.html");
/// The script.
pub const SCRIPT: &str = include_str!("../page/app.js");
/// The styles.
pub const STYLE: &str = include_str!("../page/app.css");

/// The files that the document names.
pub const ASSETS: &[Asset] = &[
    Asset { name: "app.js", media: "text/javascript; charset=utf-8", bytes: SCRIPT.as_bytes() },
    Asset { name: "app.css", media: "text/css; charset=utf-8", bytes: STYLE.as_bytes() },
];
