//! Who may ask at all: a browser on this machine that means this very server.
//!
//! A page of the web can make a browser send requests here, and a name of the web can be made to lead here (DNS rebinding). The
//! first says so in `Origin` and `Sec-Fetch-Site`, the second in `Host`.

use hyper::header::{CONTENT_LENGTH, HOST, ORIGIN, TRANSFER_ENCODING};
use hyper::{HeaderMap, Method, Request, StatusCode};

use super::reply::Reply;

/// The names under which the server is known.
#[derive(Debug)]
pub(super) struct Guard {
    hosts: Vec<String>,
}

impl Guard {
    pub(super) fn new(port: u16) -> Self {
        let names = ["127.0.0.1", "localhost"];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        if port == 80 {
            hosts.extend(names.map(str::to_owned));
        }
        Self { hosts }
    }

    /// Turns a request away that is none of ours.
    pub(super) fn judge<B>(&self, request: &Request<B>) -> Result<(), Reply> {
        let refuse = |text| Err(Reply::refusal(StatusCode::FORBIDDEN, text));
        let headers = request.headers();
        if request.uri().authority().is_some() || !self.knows_host(headers) {
            return refuse((
                "this server is known as 127.0.0.1 and as localhost",
                "此服务器的名称是 127.0.0.1 和 localhost",
            ));
        }
        if !self.is_of_here(headers) {
            return refuse(("this server answers its own page only", "此服务器只回答自己的页面"));
        }
        if request.method() != Method::GET {
            return Err(Reply::refusal(
                StatusCode::METHOD_NOT_ALLOWED,
                ("only GET is answered", "只回答 GET 请求"),
            )
            .allow());
        }
        let has_body = headers.get(CONTENT_LENGTH).is_some_and(|length| length.as_bytes() != b"0");
        if has_body || headers.contains_key(TRANSFER_ENCODING) {
            return Err(Reply::refusal(
                StatusCode::PAYLOAD_TOO_LARGE,
                ("a question has no body", "问题不带正文"),
            ));
        }
        Ok(())
    }

    fn knows_host(&self, headers: &HeaderMap) -> bool {
        let mut values = headers.get_all(HOST).iter();
        let (Some(host), None) = (values.next(), values.next()) else { return false };
        self.hosts.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(host.as_bytes()))
    }

    fn is_of_here(&self, headers: &HeaderMap) -> bool {
        let origins = headers.get_all(ORIGIN).iter().all(|origin| {
            let host = origin.as_bytes().strip_prefix(b"http://");
            host.is_some_and(|host| {
                self.hosts.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(host))
            })
        });
        // `none`: typed, or opened by another program.
        let sites = headers.get_all("sec-fetch-site").iter();
        origins && sites.into_iter().all(|site| matches!(site.as_bytes(), b"same-origin" | b"none"))
    }
}
