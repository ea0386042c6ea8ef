//! Small texts that stand for a file: Git LFS and git-annex pointers.

use super::Identity;
use alloc::string::String;

/// A pointer file's text.
pub(super) fn pointer(text: &[u8]) -> Option<Identity> {
    // The second is the name that Git LFS had before its release.
    if text.starts_with(b"version https://git-lfs.github.com/spec/")
        || text.starts_with(b"version https://hawser.github.com/spec/")
    {
        return Some(lfs(text));
    }
    // `/annex/objects/SHA256E-s123--…`
    text.starts_with(b"/annex/objects/").then_some(Identity::GitAnnexPointer)
}

/// Lines of `key value`. Values that are not what the format wants are left out.
fn lfs(text: &[u8]) -> Identity {
    let value = |key: &[u8]| {
        text.split(|b| *b == b'\n')
            .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
            .find_map(|line| line.strip_prefix(key))
            .and_then(|value| core::str::from_utf8(value).ok())
    };
    let is_hash = |hex: &&str| hex.len() == 64 && hex.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let oid = value(b"oid sha256:").filter(is_hash).map(String::from);
    let size = value(b"size ").filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    Identity::GitLfsPointer { oid, size: size.and_then(|digits| digits.parse().ok()) }
}
