//! From a path to an answer.

use super::address::Address;
use super::assets;
use super::desk::Desk;
use super::guard::guard;
use super::planet::Planet;
use super::refusal::Refusal;
use super::scene::{Answer, Scene};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use std::sync::Arc;

/// What all requests share.
#[derive(Clone)]
struct Shared {
    scene: Arc<Scene>,
    desk: Arc<Desk>,
}

/// The service: the page, and everything that it asks for.
pub fn router(planet: Arc<dyn Planet>, desk: Arc<Desk>) -> Router {
    let shared = Shared { scene: Arc::new(Scene::new(planet)), desk };
    Router::new().fallback(answer).layer(from_fn(guard)).with_state(shared)
}

async fn answer(State(shared): State<Shared>, uri: Uri, headers: HeaderMap) -> Response {
    shared.respond(&uri, &headers).await.unwrap_or_else(IntoResponse::into_response)
}

impl Shared {
    async fn respond(&self, uri: &Uri, headers: &HeaderMap) -> Result<Response, Refusal> {
        let path = uri.path().trim_start_matches('/');
        let first = path.split('/').next().unwrap_or_default();
        if !matches!(first, "tiles" | "polar" | "export" | "api") {
            return assets::file(path, headers);
        }
        let address = Address::parse(path, uri.query().unwrap_or_default())?;
        let tag = self.tag(&address);
        if assets::matches(headers, &tag) {
            return Ok(tagged(StatusCode::NOT_MODIFIED.into_response(), &tag));
        }
        let scene = self.scene.clone();
        let drawn = self.desk.answer(address.to_string(), move || scene.draw(&address));
        Ok(tagged(respond(drawn.await?), &tag))
    }

    /// The tag of an answer, without drawing it: all that an answer depends on.
    fn tag(&self, address: &Address) -> String {
        let about = self.scene.planet.about();
        let plain = |text: &str| -> String {
            text.chars()
                .map(|c| if c.is_ascii_alphanumeric() || "./-".contains(c) { c } else { '_' })
                .collect()
        };
        let digest: String = about.digest.chars().take(32).collect();
        let (engine, address) = (plain(&about.engine), plain(&address.to_string()));
        format!("\"{}.{engine}.{}.{DRAWING}.{address}\"", plain(&digest), region::REVISION)
    }
}

/// Counts changes of what answers look like within a version of the program.
const DRAWING: u32 = 18;

fn respond(answer: Answer) -> Response {
    let mut response = ([(header::CONTENT_TYPE, answer.kind)], answer.bytes).into_response();
    if let Some(file) = answer.file
        && let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{file}\""))
    {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

fn tagged(mut response: Response, tag: &str) -> Response {
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(tag) {
        headers.insert(header::ETAG, value);
    }
    // kept by the browser, asked for again by its tag: another world may be served at this address tomorrow
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}
