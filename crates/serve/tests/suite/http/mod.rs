//! The server without a net: what it answers, how often it draws, and what it does when too much is asked of it.

mod desk;
mod requests;
mod toy;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use serve::http::{Desk, Limits, router};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tower::ServiceExt;

/// A server of a toy world.
struct Served {
    router: Router,
    desk: Arc<Desk>,
}

/// What it answered.
struct Answered {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl Answered {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default()
    }
}

fn limits() -> Limits {
    Limits { seats: 2, queue: 96, cache_bytes: 512 << 10, patience: Duration::from_secs(60), connections: 64 }
}

impl Served {
    fn with(limits: Limits) -> Self {
        let desk = Arc::new(Desk::new(limits));
        Self { router: router(toy::planet(), desk.clone()), desk }
    }

    fn new() -> Self {
        Self::with(limits())
    }

    async fn get(&self, path: &str) -> Answered {
        self.ask(Request::get(path).header("host", "127.0.0.1:8080")).await
    }

    async fn ask(&self, request: axum::http::request::Builder) -> Answered {
        self.send(request.body(Body::empty()).expect("a sound request")).await
    }

    async fn send(&self, request: Request<Body>) -> Answered {
        let response = self.router.clone().oneshot(request).await.expect("the router always answers");
        let (parts, body) = response.into_parts();
        let body = body.collect().await.expect("a body in memory").to_bytes().to_vec();
        Answered { status: parts.status, headers: parts.headers, body }
    }
}

/// Runs a test's future to its end.
fn run<T>(test: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.worker_threads(2).enable_all().build().expect("a runtime").block_on(test)
}
