//! The secret of one run.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use subtle::ConstantTimeEq as _;

/// 128 random bits, which the address of the page carries behind its `#`.
///
/// That part is sent to no server and stands in no `Referer`; the page takes it out of the address, and sends it as
/// `Authorization`. A cookie would be sent to every port of 127.0.0.1, whoever listens there; and a request that a foreign page
/// makes a browser send would carry it.
pub(super) struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    pub(super) fn random() -> io::Result<Self> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Self(URL_SAFE_NO_PAD.encode(bytes)))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Whether a request knows it. How long this takes tells nothing about how much of it is right.
    pub(super) fn is_in(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else { return false };
        let given = value.as_bytes().strip_prefix(b"Bearer ").unwrap_or_default();
        given.ct_eq(self.0.as_bytes()).into()
    }
}
