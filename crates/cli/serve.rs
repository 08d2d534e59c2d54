//! `terrane serve`: a world in a browser.
//!
//! The server asks a [`Planet`](serve::http::Planet); here a world file is one ([`planet`]).

mod fields;
mod place;
mod planet;
mod sights;
mod themes;

use crate::args;
use crate::output::{Session, emit};
use anyhow::{Context, Result, anyhow};
use archive::WorldView;
pub use fields::Fields;
use planet::Shown;
use serve::http::{Limits, Server};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// How long a drawing that goes on at the end may still take.
const LAST_TIME: Duration = Duration::from_secs(1);

/// Runs the command.
pub fn run(args: &args::Serve, session: Session) -> Result<()> {
    let planet = Arc::new(Shown::new(WorldView::open(&args.world)?));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("serve")
        .build()
        .context("starting the server")?;
    let served = runtime.block_on(async {
        let taken = |e| anyhow!("{e}; another program may use it: try --port 0 for any free one");
        let server = Server::bind(args.port, Limits::default()).await.map_err(taken)?;
        let url = format!("http://{}/", server.place());
        emit(&format!("{url}\n"))?;
        session.say("Ctrl-C ends it.");
        if args.open {
            open(&url, session);
        }
        server.run(planet, end()).await;
        Ok(())
    });
    runtime.shutdown_timeout(LAST_TIME);
    if served.is_ok() {
        session.say("ended");
    }
    served
}

/// Is over when somebody asks the program to end.
async fn end() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}

/// Shows an address in whatever browser the machine has; says so if it has none.
fn open(url: &str, session: Session) {
    let (program, before): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        session.say(&format!("no browser could be started: open {url} yourself"));
    }
}
