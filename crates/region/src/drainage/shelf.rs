//! Shelves: what has been made so far, block by block, by many threads at once.

use super::block::{Block, Rect};
use grid::{Part, Topology};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

type Slot<T> = Arc<OnceLock<T>>;

/// Something for each of some blocks.
pub(crate) struct Shelf<T>(RwLock<BTreeMap<Block, Kept<T>>>);

struct Kept<T> {
    slot: Slot<T>,
    /// When it was last asked for.
    asked: AtomicU64,
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }
}

impl<T> Shelf<T> {
    fn slot(&self, block: Block, now: u64) -> Slot<T> {
        let find = |kept: &Kept<T>| {
            // an earlier request may ask later
            if kept.asked.load(Ordering::Relaxed) < now {
                kept.asked.fetch_max(now, Ordering::Relaxed);
            }
            kept.slot.clone()
        };
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&block).map(find);
        known.unwrap_or_else(|| {
            let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
            let new = || Kept { slot: Slot::default(), asked: AtomicU64::new(now) };
            find(all.entry(block).or_insert_with(new))
        })
    }

    fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// When each block was last asked for, and how much it weighs.
    pub fn weights(&self, weight: impl Fn(&T) -> u64) -> Vec<(u64, u64)> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let of = |kept: &Kept<T>| (kept.asked.load(Ordering::Relaxed), kept.slot.get().map_or(0, &weight));
        all.values().map(of).collect()
    }

    /// Drops all that was last asked for before some time.
    pub fn forget_before(&self, time: u64) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, kept| kept.asked.load(Ordering::Relaxed) >= time);
    }
}

/// A shelf for each of some numbers.
pub(crate) struct Shelves<T>(RwLock<BTreeMap<u64, Arc<Shelf<T>>>>);

impl<T> Default for Shelves<T> {
    fn default() -> Self {
        Self(RwLock::new(BTreeMap::new()))
    }
}

impl<T> Shelves<T> {
    /// The shelf of a number.
    pub fn of(&self, number: u64) -> Arc<Shelf<T>> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned();
        let make =
            || self.0.write().unwrap_or_else(PoisonError::into_inner).entry(number).or_default().clone();
        known.unwrap_or_else(make)
    }

    /// When each block of all was last asked for, and how much it weighs.
    pub fn weights(&self, weight: impl Fn(&T) -> u64) -> Vec<(u64, u64)> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        all.values().flat_map(|shelf| shelf.weights(&weight)).collect()
    }

    /// Drops all that was last asked for before some time.
    pub fn forget_before(&self, time: u64) {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.retain(|_, shelf| {
            shelf.forget_before(time);
            !shelf.is_empty()
        });
    }
}

/// Requests are counted, which is the time at which they ask. What those that run have asked for must not be dropped.
#[derive(Default)]
pub(crate) struct Requests(RwLock<Counted>);

#[derive(Default)]
struct Counted {
    /// How many there were so far.
    count: u64,
    running: BTreeSet<u64>,
}

impl Requests {
    /// Counts a request that begins: its time.
    pub fn begin(&self) -> u64 {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        all.count += 1;
        let now = all.count;
        all.running.insert(now);
        now
    }

    pub fn end(&self, now: u64) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).running.remove(&now);
    }

    /// Does something while no request begins or ends, given the time of the oldest that runs.
    pub fn hold<R>(&self, work: impl FnOnce(Option<u64>) -> R) -> R {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        work(all.running.first().copied())
    }
}

/// A block that was read lately, its parts, and what is kept of it.
type Lately<T> = Option<(Block, Rect, Slot<T>)>;

/// Reads a shelf, quick where parts that are asked one after the other lie in a few blocks beside one another.
pub(crate) struct Reader<'a, T> {
    grid: &'a Topology,
    shelf: &'a Shelf<T>,
    now: u64,
    /// By whether their rows and columns are odd.
    lately: RefCell<[Lately<T>; 4]>,
}

impl<'a, T> Reader<'a, T> {
    /// A reader that asks at some time, counted in requests.
    pub fn new(grid: &'a Topology, shelf: &'a Shelf<T>, now: u64) -> Self {
        Self { grid, shelf, now, lately: RefCell::new([const { None }; 4]) }
    }

    /// Something of what is kept of a part's block, by the block's parts and the place of the part among them; made if
    /// it is not there.
    pub fn get<R>(
        &self,
        part: Part,
        make: impl FnOnce(Block) -> T,
        read: impl FnOnce(&T, Rect, usize) -> R,
    ) -> R {
        let index = |rect: Rect| rect.index(part).expect("a block holds its parts");
        self.with(Block::of(part), make, |made, rect| read(made, rect, index(rect)))
    }

    /// The same of the block of a part's children, by the place of the part among their parents.
    pub fn get_parent<R>(
        &self,
        parent: Part,
        make: impl FnOnce(Block) -> T,
        read: impl FnOnce(&T, usize) -> R,
    ) -> R {
        let block = Block::of_children(parent);
        self.with(block, make, |made, rect| read(made, block.parent_index(rect, parent)))
    }

    fn with<R>(&self, block: Block, make: impl FnOnce(Block) -> T, read: impl FnOnce(&T, Rect) -> R) -> R {
        let at = (2 * (block.row % 2) + block.col % 2) as usize;
        if self.lately.borrow()[at].as_ref().is_none_or(|lately| lately.0 != block) {
            let slot = self.shelf.slot(block, self.now);
            slot.get_or_init(|| make(block));
            self.lately.borrow_mut()[at] = Some((block, block.rect(self.grid), slot));
        }
        let lately = self.lately.borrow();
        let (_, rect, slot) = lately[at].as_ref().expect("it was put there");
        read(slot.get().expect("it was made"), *rect)
    }
}
