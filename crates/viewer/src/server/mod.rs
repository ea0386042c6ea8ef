//! The local web server: one page on this machine, and nobody else.
//!
//! It listens on the loopback interface only. Whoever asks for data must know a secret that was made for this one run
//! (`token`); whoever comes from another site, or under another name, is turned away before that (`guard`). No path and no
//! query names a file: what is open was opened before the server began.
//!
//! What it takes is bounded: connections, the heads of requests, answers that are worked on and that wait, and bytes of
//! answers that are under way (`work`).

mod assets;
mod guard;
mod reply;
mod stop;
mod token;
mod work;

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, StatusCode, body::Incoming};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::Semaphore;

use crate::answer::{Question, Refusal, Session};
use guard::Guard;
use reply::Reply;
pub use stop::Stop;
use token::Token;
use work::Desk;

/// Connections that are open at once; more of them wait to be taken.
const MAX_CONNECTIONS: usize = 256;
/// Bytes of the head of a request.
const MAX_HEAD: usize = 72 << 10;
/// Bytes of a question.
const MAX_QUERY: usize = 60 << 10;
/// Lines of the head of a request.
const MAX_LINES: usize = 64;
/// How long the head of a request may take, and a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// How long a connection is kept; then no more is read of it.
const LIFE: Duration = Duration::from_secs(60);
/// How long the reply that is under way then may take: whoever does not read it keeps nobody else out for ever.
const LAST_REPLY: Duration = Duration::from_secs(300);
/// How long answers that are under way have when the server ends.
const LAST_TIME: Duration = Duration::from_millis(500);

/// A server that listens, and does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    session: Session,
    guard: Guard,
    token: Token,
    desk: Desk,
}

impl Server {
    /// Listens on 127.0.0.1; at any free port where `port` is 0.
    ///
    /// # Errors
    /// The port is taken, or the system gives no random numbers.
    pub fn bind(session: Session, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        let shared = Shared { session, guard: Guard::new(port), token: Token::random()?, desk: Desk::new() };
        Ok(Self { listener, port, shared: Arc::new(shared) })
    }

    /// The port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The address to open. The secret stands behind `#`, which a browser sends to nobody.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.shared.token.text())
    }

    /// Answers until `stop` is told.
    ///
    /// # Errors
    /// The system's: no thread can be started, no connection taken.
    pub fn run(self, stop: Stop) -> io::Result<()> {
        let threads = std::thread::available_parallelism().map_or(2, |n| n.get().min(8));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(threads)
            .max_blocking_threads(self.shared.desk.at_work().saturating_add(8))
            .thread_name("viewer")
            .enable_all()
            .build()?;
        let result = runtime.block_on(self.serve(stop));
        runtime.shutdown_timeout(LAST_TIME);
        result
    }

    async fn serve(self, stop: Stop) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut stopped = std::pin::pin!(stop.told());
        loop {
            let taken = async {
                let place = Arc::clone(&places).acquire_owned().await;
                (place, listener.accept().await)
            };
            let (place, accepted) = tokio::select! {
                () = &mut stopped => return Ok(()),
                taken = taken => taken,
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(_) => {
                    // Out of descriptors, or the other side is gone already: neither ends the server.
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    continue;
                }
            };
            let _ = stream.set_nodelay(true);
            let shared = Arc::clone(&self.shared);
            tokio::spawn(async move {
                let service = service_fn(move |request| answer(Arc::clone(&shared), request));
                let connection = http1::Builder::new()
                    .timer(TokioTimer::new())
                    .header_read_timeout(HEAD_TIME)
                    .max_buf_size(MAX_HEAD)
                    .max_headers(MAX_LINES)
                    .half_close(false)
                    .serve_connection(TokioIo::new(stream), service);
                let mut connection = std::pin::pin!(connection);
                // An error is that of one connection, whose other side knows of it.
                tokio::select! {
                    _ = connection.as_mut() => {}
                    () = tokio::time::sleep(LIFE) => {
                        connection.as_mut().graceful_shutdown();
                        let _ = tokio::time::timeout(LAST_REPLY, connection).await;
                    }
                }
                drop(place);
            });
        }
    }
}

/// Answers one request.
async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
) -> Result<reply::Response, std::convert::Infallible> {
    Ok(route(shared, &request).await.into_response())
}

async fn route(shared: Arc<Shared>, request: &Request<Incoming>) -> Reply {
    if let Err(refused) = shared.guard.judge(request) {
        return refused;
    }
    let path = request.uri().path();
    if let Some(name) = path.strip_prefix("/api/") {
        if !shared.token.is_in(request.headers()) {
            return Reply::refusal(
                StatusCode::UNAUTHORIZED,
                (
                    "the address of this page has a secret in it, which is missing here",
                    "此页面的地址含有密钥，这里没有",
                ),
            );
        }
        let query = request.uri().query().unwrap_or_default();
        if query.len() > MAX_QUERY {
            return Reply::refusal(StatusCode::URI_TOO_LONG, ("the question is too long", "问题太长"));
        }
        let Some(question) = question(name, query) else {
            return Reply::of(&Refusal::new(
                crate::answer::Kind::Usage,
                ("the question has too many parts", "问题的部分太多"),
            ));
        };
        return work::answer(shared, question).await;
    }
    assets::reply(path, request.headers())
}

/// Names and values of a question at most.
const MAX_PARTS: usize = 16;

fn question(name: &str, query: &str) -> Option<Question> {
    let mut question = Question::new(name);
    for (at, (name, value)) in form_urlencoded::parse(query.as_bytes()).enumerate() {
        if at >= MAX_PARTS {
            return None;
        }
        question = question.with(name, value);
    }
    Some(question)
}
