//! The page and what it is made of, built into the program.

use super::refusal::Refusal;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

#[derive(RustEmbed)]
#[folder = "assets/"]
struct Assets;

/// A file of the page.
///
/// # Errors
/// There is none of that name.
pub fn file(path: &str, headers: &HeaderMap) -> Result<Response, Refusal> {
    let path = if path.is_empty() { "index.html" } else { path };
    let missing = || Refusal::Missing(format!("there is nothing at /{}", super::query::shown(path)));
    let EmbeddedFile { data, metadata } = Assets::get(path).ok_or_else(missing)?;
    let hash: String = metadata.sha256_hash()[..12].iter().map(|b| format!("{b:02x}")).collect();
    let tag = format!("\"{hash}\"");
    let sealed = [
        (header::CONTENT_TYPE, kind(path).to_string()),
        (header::CACHE_CONTROL, "no-cache".to_string()),
        (header::ETAG, tag.clone()),
    ];
    if matches(headers, &tag) {
        return Ok((StatusCode::NOT_MODIFIED, sealed).into_response());
    }
    Ok((sealed, data.into_owned()).into_response())
}

/// Whether a browser has already what a tag stands for.
pub fn matches(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|v: &HeaderValue| v.to_str().ok());
    known
        .flat_map(|list| list.split(','))
        .map(|one| one.trim().trim_start_matches("W/"))
        .any(|one| one == tag || one == "*")
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "json" => "application/json",
        _ => "text/plain; charset=utf-8",
    }
}
