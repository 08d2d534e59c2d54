//! Counts the memory that is taken, and how much of it at once.

#![allow(
    unsafe_code,
    reason = "an allocator is unsafe by its nature; this one is in no program, only in this test"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Mutex, PoisonError};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is handed on to the system's allocator as it is; the counters take no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        PEAK.fetch_max(NOW.fetch_add(layout.size(), SeqCst) + layout.size(), SeqCst);
        // SAFETY: the caller keeps the contract of `GlobalAlloc`, which is that of `System`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), SeqCst);
        // SAFETY: as above; `memory` came from `System`.
        unsafe { System.dealloc(memory, layout) }
    }
}

/// What is done, and the most bytes that were taken at once meanwhile beyond those taken before.
///
/// One at a time, or tests that run side by side would count each other's memory.
pub fn peak<T>(action: impl FnOnce() -> T) -> (T, usize) {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let before = NOW.load(SeqCst);
    PEAK.store(before, SeqCst);
    let done = action();
    (done, PEAK.load(SeqCst).saturating_sub(before))
}

#[test]
fn memory_is_counted() {
    let ((), bytes) = peak(|| drop(vec![1u8; 5 << 20]));
    assert!(bytes >= 5 << 20, "{bytes}");
}
