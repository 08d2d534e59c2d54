//! The listening: connections within limits, and a clean end.

use super::desk::{Desk, Limits};
use super::planet::Planet;
use super::router::router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The port is taken, or not allowed.
    #[error("port {port} cannot be used: {source}")]
    Bind {
        /// The port.
        port: u16,
        /// Why.
        source: std::io::Error,
    },
}

/// Headers of a request: number and bytes in all.
const MOST_HEADERS: usize = 64;
const MOST_HEADER_BYTES: usize = 16 << 10;
/// How long a request's head may take to arrive.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long open connections may go on after the end was asked for.
const LAST_TIME: Duration = Duration::from_secs(2);

/// A server that has its port, but does not answer yet.
pub struct Server {
    listener: TcpListener,
    place: SocketAddr,
    limits: Limits,
}

impl Server {
    /// Takes a port of this machine, for this machine alone; any free one for 0.
    ///
    /// # Errors
    /// [`ListenError::Bind`].
    pub async fn bind(port: u16, limits: Limits) -> Result<Self, ListenError> {
        let wrong = |source| ListenError::Bind { port, source };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(wrong)?;
        let place = listener.local_addr().map_err(wrong)?;
        Ok(Self { listener, place, limits })
    }

    /// Where it listens.
    pub fn place(&self) -> SocketAddr {
        self.place
    }

    /// Answers until `end` is over, then lets open requests finish for a moment.
    pub async fn run(self, planet: Arc<dyn Planet>, end: impl Future<Output = ()>) {
        let service = router(planet, Arc::new(Desk::new(self.limits)));
        let connections = Arc::new(Semaphore::new(self.limits.connections.max(1)));
        let graceful = GracefulShutdown::new();
        tokio::pin!(end);
        loop {
            let next = async {
                let permit = connections.clone().acquire_owned().await;
                (permit, self.listener.accept().await)
            };
            let (permit, accepted) = tokio::select! {
                next = next => next,
                () = &mut end => break,
            };
            // a connection that was lost while it was made, or too many open files: the next one may do
            let Ok((stream, _)) = accepted else {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            };
            let service = TowerToHyperService::new(service.clone());
            let connection = connection().serve_connection(TokioIo::new(stream), service);
            let watched = graceful.watch(connection);
            tokio::spawn(async move {
                let _permit = permit;
                // what goes wrong on a connection is between it and its browser
                let _ = watched.await;
            });
        }
        let _ = tokio::time::timeout(LAST_TIME, graceful.shutdown()).await;
    }
}

fn connection() -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(MOST_HEADERS)
        .max_buf_size(MOST_HEADER_BYTES);
    builder
}
