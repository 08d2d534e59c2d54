//! What is answered instead of what was asked for.

use super::planet::{Failure, NoPlace};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};

/// Why something was not answered. Each is a status and a line for people.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    /// The address makes no sense.
    #[error("{0}")]
    Malformed(String),
    /// There is nothing at the address.
    #[error("{0}")]
    Missing(String),
    /// Whoever asked did not ask this machine by its own name.
    #[error("{0}")]
    Forbidden(String),
    /// Too much is asked for already.
    #[error("too much is being drawn already; ask again in a moment")]
    Busy,
    /// It took too long.
    #[error("this took longer than {seconds} s and was given up")]
    Late {
        /// The limit.
        seconds: u64,
    },
    /// The world did not answer.
    #[error("{0}")]
    Failed(String),
}

impl Refusal {
    /// Its status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Malformed(_) => StatusCode::BAD_REQUEST,
            Self::Missing(_) => StatusCode::NOT_FOUND,
            Self::Forbidden(_) => StatusCode::FORBIDDEN,
            Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Late { .. } => StatusCode::GATEWAY_TIMEOUT,
            Self::Failed(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure.0)
    }
}

impl From<NoPlace> for Refusal {
    fn from(why: NoPlace) -> Self {
        match why {
            NoPlace::Outside(_) => Self::Malformed(why.to_string()),
            NoPlace::Failed(failure) => failure.into(),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status(), format!("{self}\n")).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self == Self::Busy {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
