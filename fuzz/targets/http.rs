//! Paths and queries that the server is asked for: tiles, places, exports.

#![no_main]

#[path = "../../crates/serve/tests/suite/http/toy.rs"]
mod toy;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use libfuzzer_sys::fuzz_target;
use serve::http::{Desk, Limits, router};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tower::ServiceExt;

/// A server of a toy world that keeps little.
fn served() -> &'static Router {
    static ROUTER: OnceLock<Router> = OnceLock::new();
    ROUTER.get_or_init(|| {
        let patience = Duration::from_secs(60);
        let limits = Limits { seats: 1, queue: 4, cache_bytes: 64 << 10, patience, connections: 4 };
        router(toy::planet(), Arc::new(Desk::new(limits)))
    })
}

fuzz_target!(|path: &str| {
    let path = format!("/{path}");
    let Ok(request) = Request::get(&path).header("host", "localhost").body(Body::empty()) else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let answer = runtime.block_on(served().clone().oneshot(request)).expect("the router always answers");
    let status = answer.status().as_u16();
    assert!([200, 304, 400, 404, 413, 414, 503].contains(&status), "{path}: {status}");
});
