//! Long work on a thread of its own, so that Python can end it.
//!
//! The thread that asks waits without the interpreter's lock, looks for signals twenty times a second, and tells progress
//! to whoever wants to know: in its own thread, in order, while the work goes on. When a signal comes (Ctrl-C), or what
//! is told raises an exception, the work is to stop: where it next says how far it is, it unwinds. The exception does not
//! wait for that longer than [`GRACE`]; work that says nothing goes on to its end alone, and what it finds is dropped.
//!
//! Unwinding is that of a panic, without the message. It begins only where progress is told, where nothing is
//! half done: no lock is held there and nothing that is made once is being made, and a file that is being written is taken away.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;

/// How long signals may wait to be seen.
const TICK: Duration = Duration::from_millis(50);
/// How long an exception waits for the work to stop.
const GRACE: Duration = Duration::from_millis(400);
/// As much as a program's first thread usually has.
const STACK_BYTES: usize = 8 << 20;

/// What work unwinds with that was told to stop.
struct Stopped;

/// A stage, and a share of the work.
type News = (&'static str, f64);

/// By which work says how far it is.
pub struct Teller {
    news: Sender<News>,
    stop: Arc<AtomicBool>,
    /// Thousandths told last.
    told: AtomicU32,
}

impl Teller {
    /// Says how far the work is: each thousandth once. Does not come back if it is to stop.
    pub fn tell(&self, stage: &'static str, share: f64) {
        if self.stop.load(Ordering::Relaxed) {
            resume_unwind(Box::new(Stopped));
        }
        let thousandth = (share * 1000.0) as u32;
        if self.told.swap(thousandth, Ordering::Relaxed) != thousandth {
            // who does not listen any more has set `stop`, or has no need of it
            let _ = self.news.send((stage, share));
        }
    }
}

/// Works, and gives what was found; `progress` is called with stages and shares.
///
/// # Errors
/// What a signal's handler or `progress` raises: `KeyboardInterrupt` at Ctrl-C. A thread that cannot be begun.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Teller) -> T + Send + 'static,
) -> PyResult<T> {
    let (news, heard) = channel();
    let stop = Arc::new(AtomicBool::new(false));
    let teller = Teller { news, stop: stop.clone(), told: AtomicU32::new(u32::MAX) };
    let named = Builder::new().name("terrane".into()).stack_size(STACK_BYTES);
    let begun = named.spawn(move || work(&teller));
    let thread = begun.map_err(|e| PyOSError::new_err(format!("no thread can be begun: {e}")))?;
    if let Err(error) = listen(py, progress.as_ref(), heard) {
        stop.store(true, Ordering::Relaxed);
        py.detach(|| linger(&thread));
        return Err(error);
    }
    py.detach(|| thread.join()).or_else(|panic| resume_unwind(panic))
}

/// Tells what is heard until the work is over.
fn listen(py: Python<'_>, progress: Option<&Py<PyAny>>, mut heard: Receiver<News>) -> PyResult<()> {
    loop {
        let news;
        (news, heard) = py.detach(move || (heard.recv_timeout(TICK), heard));
        match (news, progress) {
            (Err(RecvTimeoutError::Disconnected), _) => return Ok(()),
            (Ok(news), Some(call)) => drop(call.call1(py, news)?),
            _ => (),
        }
        py.check_signals()?;
    }
}

/// Waits until the work has stopped, not for long.
fn linger<T>(thread: &JoinHandle<T>) {
    const PART: Duration = Duration::from_millis(10);
    for _ in 0..GRACE.as_millis() / PART.as_millis() {
        if thread.is_finished() {
            return;
        }
        sleep(PART);
    }
}
