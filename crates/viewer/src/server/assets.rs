//! The page's own files: fixed names, from memory.
//!
//! They are sent as they are: over the loopback interface, unpacking costs more than sending.

use std::sync::LazyLock;

use hyper::header::IF_NONE_MATCH;
use hyper::{HeaderMap, StatusCode};
use sha2::{Digest as _, Sha256};

use super::reply::Reply;
use crate::page;

struct Known {
    path: String,
    media: &'static str,
    bytes: &'static [u8],
    etag: String,
}

static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let known = |path: String, media, bytes: &'static [u8]| {
        let digest = Sha256::digest(bytes);
        let digits: String = digest.iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        Known { path, media, bytes, etag: format!("\"{digits}\"") }
    };
    let mut all = vec![known("/".to_owned(), "text/html; charset=utf-8", page::INDEX.as_bytes())];
    all.extend(
        page::ASSETS.iter().map(|asset| known(format!("/assets/{}", asset.name), asset.media, asset.bytes)),
    );
    all
});

/// The file of this path. Paths are compared as they were sent: there is nothing to be decoded in any of them.
pub(super) fn reply(path: &str, headers: &HeaderMap) -> Reply {
    let Some(known) = KNOWN.iter().find(|known| known.path == path) else {
        return Reply::refusal(
            StatusCode::NOT_FOUND,
            ("there is nothing of this name", "没有这个名称的内容"),
        );
    };
    let same = |value: &hyper::header::HeaderValue| value.as_bytes() == known.etag.as_bytes();
    if headers.get(IF_NONE_MATCH).is_some_and(same) {
        return Reply::not_modified(known.media, known.etag.clone());
    }
    Reply::asset(known.media, known.bytes, known.etag.clone())
}
