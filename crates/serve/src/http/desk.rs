//! The desk: what is asked for is drawn once, kept for a while, and never more at a time than there are cores.
//!
//! Equal requests wait for one drawing. One that nobody waits for any more leaves the queue; one that has begun is
//! finished and kept. When the queue is full, whoever comes next is told to come again.

use super::refusal::Refusal;
use super::scene::Answer;
use moka::sync::Cache;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// How much may go on.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Drawings at a time.
    pub seats: usize,
    /// Drawings that wait for a seat.
    pub queue: usize,
    /// Answers that are kept, in bytes.
    pub cache_bytes: u64,
    /// How long somebody waits for an answer.
    pub patience: Duration,
    /// Connections at a time.
    pub connections: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            seats: cores,
            queue: 96,
            cache_bytes: 96 << 20,
            patience: Duration::from_secs(120),
            connections: 256,
        }
    }
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Drawings begun.
    pub drawn: u64,
    /// Requests answered from what was kept.
    pub kept: u64,
    /// Requests that waited for somebody else's drawing.
    pub shared: u64,
    /// Drawings left out because nobody waited any more.
    pub dropped: u64,
    /// Requests sent away.
    pub refused: u64,
    /// The most drawings that went on at a time.
    pub most_at_once: u64,
}

type Outcome = Result<Answer, Refusal>;

/// Draws, keeps and shares answers.
pub struct Desk {
    limits: Limits,
    cache: Cache<String, Answer>,
    seats: Arc<Semaphore>,
    running: Mutex<BTreeMap<String, Arc<watch::Sender<Option<Outcome>>>>>,
    counts: Mutex<Counts>,
    now: AtomicU64,
}

impl Desk {
    /// An empty desk.
    pub fn new(limits: Limits) -> Self {
        let weight = |key: &String, answer: &Answer| (key.len() + answer.bytes.len() + 200) as u32;
        let cache = Cache::builder().weigher(weight).max_capacity(limits.cache_bytes).build();
        let seats = Arc::new(Semaphore::new(limits.seats.max(1)));
        let (running, counts) = (Mutex::default(), Mutex::default());
        Self { limits, cache, seats, running, counts, now: AtomicU64::new(0) }
    }

    /// What has happened so far.
    pub fn counts(&self) -> Counts {
        *lock(&self.counts)
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> u64 {
        self.cache.run_pending_tasks();
        self.cache.weighted_size()
    }

    /// Drawings that go on or wait.
    pub fn open(&self) -> usize {
        lock(&self.running).len()
    }

    /// The answer of a key, drawn if it is not kept. To stop waiting for the future is to cancel.
    ///
    /// # Errors
    /// What the drawing says; too much is going on; it took too long.
    pub async fn answer(
        self: &Arc<Self>,
        key: String,
        draw: impl FnOnce() -> Outcome + Send + 'static,
    ) -> Outcome {
        let mut waiting = match self.join(key, draw) {
            Ok(waiting) => waiting,
            Err(outcome) => return outcome,
        };
        let seconds = self.limits.patience.as_secs();
        let finished = tokio::time::timeout(self.limits.patience, waiting.wait_for(Option::is_some));
        match finished.await {
            Ok(Ok(outcome)) => outcome.clone().unwrap_or(Err(Refusal::Busy)),
            Ok(Err(_)) => Err(Refusal::Failed("the drawing was given up".into())),
            Err(_) => Err(Refusal::Late { seconds }),
        }
    }

    /// A place among those who wait for a drawing, which is begun if it is new; or the answer at once.
    fn join(
        self: &Arc<Self>,
        key: String,
        draw: impl FnOnce() -> Outcome + Send + 'static,
    ) -> Result<watch::Receiver<Option<Outcome>>, Outcome> {
        let mut running = lock(&self.running);
        if let Some(answer) = self.cache.get(&key) {
            self.count(|c| c.kept += 1);
            return Err(Ok(answer));
        }
        if let Some(sender) = running.get(&key) {
            self.count(|c| c.shared += 1);
            return Ok(sender.subscribe());
        }
        if running.len() >= self.limits.seats + self.limits.queue {
            self.count(|c| c.refused += 1);
            return Err(Err(Refusal::Busy));
        }
        let (sender, waiting) = watch::channel(None);
        let sender = Arc::new(sender);
        running.insert(key.clone(), sender.clone());
        tokio::spawn(self.clone().work(key, sender, draw));
        Ok(waiting)
    }

    /// Waits for a seat, draws, and tells whoever waits.
    async fn work(
        self: Arc<Self>,
        key: String,
        sender: Arc<watch::Sender<Option<Outcome>>>,
        draw: impl FnOnce() -> Outcome + Send + 'static,
    ) {
        let seat = tokio::select! {
            biased;
            () = self.abandoned(&key, &sender) => return,
            seat = self.seats.clone().acquire_owned() => seat,
        };
        let desk = self.clone();
        let drawn = tokio::task::spawn_blocking(move || {
            // the seat is free when the drawing ends, whoever still waits for it
            let _seat = seat;
            desk.begin();
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(draw));
            desk.now.fetch_sub(1, Ordering::SeqCst);
            outcome.unwrap_or_else(|_| {
                Err(Refusal::Failed("the drawing failed; this is a fault of the program".into()))
            })
        });
        let failed = |_| Err(Refusal::Failed("the drawing was given up".into()));
        let outcome = drawn.await.unwrap_or_else(failed);
        let mut running = lock(&self.running);
        if let Ok(answer) = &outcome {
            self.cache.insert(key.clone(), answer.clone());
        }
        running.remove(&key);
        sender.send_replace(Some(outcome));
    }

    /// Ends when nobody waits for a drawing any more; it is off the list then.
    async fn abandoned(&self, key: &str, sender: &watch::Sender<Option<Outcome>>) {
        loop {
            sender.closed().await;
            let mut running = lock(&self.running);
            // somebody may have come in between
            if sender.receiver_count() == 0 {
                running.remove(key);
                self.count(|c| c.dropped += 1);
                return;
            }
        }
    }

    fn begin(&self) {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.count(|c| {
            c.drawn += 1;
            c.most_at_once = c.most_at_once.max(now);
        });
    }

    fn count(&self, add: impl FnOnce(&mut Counts)) {
        add(&mut lock(&self.counts));
    }
}

/// The content of a lock: what is behind these is sound at every moment, whoever panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
