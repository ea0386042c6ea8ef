//! What is sent, and what is sent with all of it.

use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::StatusCode;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderName, HeaderValue};
use tokio::sync::OwnedSemaphorePermit;

use crate::answer::{Kind, Refusal};

/// What a page may load and do: its own script and style, its own questions, nothing else.
pub(super) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Goes with everything.
const ALWAYS: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=()"),
    ("x-frame-options", "DENY"),
];

const JSON: &str = "application/json; charset=utf-8";

pub(super) type Response = hyper::Response<Sending>;

/// Bytes that are sent, with the room that they take among all that is under way.
#[derive(Debug)]
pub(super) struct Sending {
    data: Option<Bytes>,
    _room: Option<OwnedSemaphorePermit>,
}

impl Body for Sending {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        /// Bytes that are handed over at once.
        const PIECE: usize = 256 << 10;
        let Some(data) = self.data.as_mut() else { return Poll::Ready(None) };
        let piece = data.split_to(data.len().min(PIECE));
        if data.is_empty() {
            self.data = None;
        }
        Poll::Ready(if piece.is_empty() { None } else { Some(Ok(Frame::data(piece))) })
    }

    fn is_end_stream(&self) -> bool {
        self.data.as_ref().is_none_or(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.data.as_ref().map_or(0, Bytes::len) as u64)
    }
}

/// A reply that is put together.
pub(super) struct Reply {
    status: StatusCode,
    media: &'static str,
    bytes: Bytes,
    etag: Option<String>,
    allow: bool,
    room: Option<OwnedSemaphorePermit>,
}

impl Reply {
    fn new(status: StatusCode, media: &'static str, bytes: Bytes) -> Self {
        Self { status, media, bytes, etag: None, allow: false, room: None }
    }

    /// An answer.
    pub(super) fn answer(bytes: Vec<u8>, room: Option<OwnedSemaphorePermit>) -> Self {
        Self { room, ..Self::new(StatusCode::OK, JSON, bytes.into()) }
    }

    /// A file of the page.
    pub(super) fn asset(media: &'static str, bytes: &'static [u8], etag: String) -> Self {
        Self { etag: Some(etag), ..Self::new(StatusCode::OK, media, Bytes::from_static(bytes)) }
    }

    /// A file of the page that the browser has already.
    pub(super) fn not_modified(media: &'static str, etag: String) -> Self {
        Self { etag: Some(etag), ..Self::new(StatusCode::NOT_MODIFIED, media, Bytes::new()) }
    }

    /// Why a question has no answer.
    pub(super) fn of(refusal: &Refusal) -> Self {
        let status = match refusal.kind() {
            Kind::Usage => StatusCode::BAD_REQUEST,
            Kind::NotFound => StatusCode::NOT_FOUND,
            Kind::Unsupported | Kind::Malformed => StatusCode::UNPROCESSABLE_ENTITY,
            Kind::Io => StatusCode::INTERNAL_SERVER_ERROR,
            Kind::Limit => StatusCode::PAYLOAD_TOO_LARGE,
        };
        Self::new(status, JSON, refusal.json().into())
    }

    /// Why a request is turned away, in the form of a refused question.
    pub(super) fn refusal(status: StatusCode, text: (&str, &str)) -> Self {
        let kind = match status {
            StatusCode::NOT_FOUND => Kind::NotFound,
            StatusCode::SERVICE_UNAVAILABLE => Kind::Limit,
            _ => Kind::Usage,
        };
        Self::new(status, JSON, Refusal::new(kind, text).json().into())
    }

    /// With the one method that is answered.
    pub(super) fn allow(mut self) -> Self {
        self.allow = true;
        self
    }

    pub(super) fn into_response(self) -> Response {
        let mut response = hyper::Response::new(Sending { data: Some(self.bytes), _room: self.room });
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        for (name, value) in ALWAYS {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.media));
        // What a file holds stays in no cache; the page's own files are asked for again, and are not sent twice.
        let cache = if self.etag.is_some() { "no-cache" } else { "no-store" };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        if let Some(etag) = self.etag.and_then(|etag| HeaderValue::try_from(etag).ok()) {
            headers.insert(header::ETAG, etag);
        }
        if self.allow {
            headers.insert(header::ALLOW, HeaderValue::from_static("GET"));
        }
        response
    }
}
