//! What is checked of every request before it is read: who is asked, for how much, and how.

use super::refusal::Refusal;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The longest address.
const MOST_ADDRESS: usize = 512;

/// Sends away what is asked in another machine's name, brings a body, or is too long; seals what goes out.
///
/// A page of somebody else's may make a browser ask `http://its.name:8080/` after letting that name point to this
/// machine. Such requests carry that name as their `Host`, so only names of this machine are answered.
pub async fn guard(request: Request, next: Next) -> Response {
    let mut response = match refuse(&request) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    seal(response.headers_mut());
    response
}

fn refuse(request: &Request) -> Option<Response> {
    let line = |status: StatusCode, text: &str| Some((status, format!("{text}\n")).into_response());
    if let Err(refusal) = check_host(request) {
        return Some(refusal.into_response());
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        let mut response =
            (StatusCode::METHOD_NOT_ALLOWED, "only GET and HEAD are answered\n").into_response();
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
        return Some(response);
    }
    if has_body(request.headers()) {
        return line(StatusCode::PAYLOAD_TOO_LARGE, "no request here has a body");
    }
    let length = request.uri().path_and_query().map_or(0, |p| p.as_str().len());
    if length > MOST_ADDRESS {
        return line(StatusCode::URI_TOO_LONG, "the address is longer than any that there is");
    }
    None
}

fn has_body(headers: &HeaderMap) -> bool {
    let length = headers.get(header::CONTENT_LENGTH);
    length.is_some_and(|v| v != "0") || headers.contains_key(header::TRANSFER_ENCODING)
}

fn check_host(request: &Request) -> Result<(), Refusal> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let named = hosts.next().and_then(|v| v.to_str().ok());
    let is_own = named.is_some_and(is_loopback)
        && hosts.next().is_none()
        && request.uri().host().is_none_or(is_loopback);
    if is_own {
        return Ok(());
    }
    Err(Refusal::Forbidden("this server answers on this machine only: ask for 127.0.0.1 or localhost".into()))
}

/// Whether a host, with or without a port, is this machine by one of its own names.
pub fn is_loopback(host: &str) -> bool {
    let (name, port) = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, rest)) => (name, rest.strip_prefix(':').or(rest.is_empty().then_some("0"))),
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, Some("0")),
        },
    };
    let is_port = port.is_some_and(|p| p.parse::<u16>().is_ok());
    is_port && ["127.0.0.1", "localhost", "::1"].iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// What every answer says: nothing from elsewhere is loaded into the page, and no other page may read it.
fn seal(headers: &mut HeaderMap) {
    let seals = [
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; \
             worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    for (name, value) in seals {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_answered() {
        for host in ["127.0.0.1", "127.0.0.1:8080", "localhost:1", "LOCALHOST", "[::1]:80", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "127.0.0.1.evil.example",
            "localhost:x",
            "127.0.0.1:99999",
            "[::1]x",
            "0.0.0.0",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
