//! Decoded chunks that were asked for lately, within a limit of bytes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Keeps the chunks used last (least recently used goes first).
#[derive(Debug)]
pub(crate) struct Cache {
    limit: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// By chunk: its bytes and when it was used last.
    chunks: BTreeMap<usize, (Arc<[u8]>, u64)>,
    /// By time of use: the chunk.
    order: BTreeMap<u64, usize>,
    clock: u64,
    bytes: usize,
}

impl Cache {
    pub fn new(limit: usize) -> Self {
        Self { limit, inner: Mutex::default() }
    }

    /// The chunk's bytes, if they are still here.
    pub fn get(&self, chunk: usize) -> Option<Arc<[u8]>> {
        let mut inner = self.lock();
        inner.clock += 1;
        let now = inner.clock;
        let (bytes, used) = inner.chunks.get_mut(&chunk)?;
        let (bytes, before) = (bytes.clone(), std::mem::replace(used, now));
        inner.order.remove(&before);
        inner.order.insert(now, chunk);
        Some(bytes)
    }

    /// Keeps a chunk, and forgets the oldest ones until all fit.
    pub fn put(&self, chunk: usize, bytes: Arc<[u8]>) {
        let mut inner = self.lock();
        inner.clock += 1;
        let now = inner.clock;
        inner.bytes += bytes.len();
        inner.order.insert(now, chunk);
        if let Some((old, before)) = inner.chunks.insert(chunk, (bytes, now)) {
            inner.bytes -= old.len();
            inner.order.remove(&before);
        }
        while inner.bytes > self.limit {
            let Some((_, oldest)) = inner.order.pop_first() else { break };
            if let Some((bytes, _)) = inner.chunks.remove(&oldest) {
                inner.bytes -= bytes.len();
            }
        }
    }

    /// No code that holds the lock can panic half-way through a change.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(n: usize) -> Arc<[u8]> {
        vec![0; n].into()
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let cache = Cache::new(30);
        for chunk in 0..3 {
            cache.put(chunk, bytes(10));
        }
        assert!(cache.get(0).is_some());
        cache.put(3, bytes(10));
        let held: Vec<bool> = (0..4).map(|chunk| cache.get(chunk).is_some()).collect();
        assert_eq!(held, [true, false, true, true]);
    }

    #[test]
    fn bytes_stay_within_the_limit() {
        let cache = Cache::new(100);
        for i in 0..1_000 {
            cache.put(i * 7 % 13, bytes(i % 120));
            let inner = cache.lock();
            assert_eq!(inner.bytes, inner.chunks.values().map(|(b, _)| b.len()).sum::<usize>());
            assert!(inner.bytes <= 100 && inner.order.len() == inner.chunks.len());
        }
    }
}
