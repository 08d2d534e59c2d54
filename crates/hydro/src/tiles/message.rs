//! What tiles tell and are told: lists of whole numbers, to be kept or sent as they are.

use super::Error;

/// What a tile tells or is told at one stage. Whoever sends or keeps it need not look into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(pub Vec<u32>);

/// Which message it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Spilled = 0x7e11_0001,
    Level,
    Descended,
    Beside,
    Visited,
    Settled,
    Incoming,
}

/// Writes a message.
pub(super) struct Writer(Vec<u32>);

impl Writer {
    pub fn new(kind: Kind, tile: usize) -> Self {
        Self(vec![kind as u32, tile as u32])
    }

    /// A list, with its length.
    pub fn list(mut self, words: impl IntoIterator<Item = u32>) -> Self {
        let at = self.0.len();
        self.0.push(0);
        self.0.extend(words);
        self.0[at] = (self.0.len() - at - 1) as u32;
        self
    }

    pub fn floats(self, values: impl IntoIterator<Item = f32>) -> Self {
        self.list(values.into_iter().map(f32::to_bits))
    }

    pub fn wide(self, values: impl IntoIterator<Item = u64>) -> Self {
        self.list(values.into_iter().flat_map(|value| [value as u32, (value >> 32) as u32]))
    }

    pub fn finish(self) -> Message {
        Message(self.0)
    }
}

/// Reads a message, trusting nothing.
pub(super) struct Reader<'a> {
    words: &'a [u32],
    tile: usize,
}

impl<'a> Reader<'a> {
    pub fn new(message: &'a Message, kind: Kind, tile: usize) -> Result<Self, Error> {
        match &message.0[..] {
            [k, t, words @ ..] if *k == kind as u32 && *t as usize == tile => Ok(Self { words, tile }),
            _ => Err(Error::Message { tile }),
        }
    }

    /// What is wrong with it.
    pub fn damaged(&self) -> Error {
        Error::Message { tile: self.tile }
    }

    pub fn list(&mut self) -> Result<&'a [u32], Error> {
        let damaged = self.damaged();
        let (&len, rest) = self.words.split_first().ok_or(damaged.clone())?;
        let (list, rest) = rest.split_at_checked(len as usize).ok_or(damaged)?;
        self.words = rest;
        Ok(list)
    }

    /// A list of that many.
    pub fn list_of(&mut self, len: usize) -> Result<&'a [u32], Error> {
        let list = self.list()?;
        if list.len() == len { Ok(list) } else { Err(self.damaged()) }
    }

    pub fn floats_of(&mut self, len: usize) -> Result<Vec<f32>, Error> {
        Ok(self.list_of(len)?.iter().map(|&bits| f32::from_bits(bits)).collect())
    }

    /// Groups of so many.
    pub fn groups<const N: usize>(&mut self) -> Result<&'a [[u32; N]], Error> {
        let damaged = self.damaged();
        let (groups, rest) = self.list()?.as_chunks::<N>();
        if rest.is_empty() { Ok(groups) } else { Err(damaged) }
    }

    pub fn wide(&mut self) -> Result<Vec<u64>, Error> {
        Ok(self.groups::<2>()?.iter().map(|&[low, high]| join(low, high)).collect())
    }

    pub fn wide_of(&mut self, len: usize) -> Result<Vec<u64>, Error> {
        let values = self.wide()?;
        if values.len() == len { Ok(values) } else { Err(self.damaged()) }
    }
}

/// A number of two words.
pub(super) fn join(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}
