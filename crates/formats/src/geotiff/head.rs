//! The lists of tags of several pictures, all at the beginning of a file.

use super::directory::{TagList, Values, header, places};
use super::tags::Tag;

/// The tags of one picture, with their values.
#[derive(Debug)]
pub(super) struct List {
    big: bool,
    /// Tag, type, count, bytes of the values.
    entries: Vec<(u16, u16, u64, Vec<u8>)>,
}

impl List {
    /// An empty list, of a file that counts its bytes in 64 bits or in 32.
    pub fn new(big: bool) -> Self {
        Self { big, entries: Vec::new() }
    }

    /// Bytes of the list without the values that do not fit into it.
    fn length(&self) -> u64 {
        let (count, entry, next) = if self.big { (8, 20, 8) } else { (2, 12, 4) };
        count + self.entries.len() as u64 * entry + next
    }
}

impl TagList for List {
    fn tag(&mut self, tag: Tag, values: &Values) -> std::io::Result<()> {
        let (kind, count, bytes) = values.encoded(self.big)?;
        self.entries.push((tag as u16, kind, count as u64, bytes));
        Ok(())
    }
}

/// The beginning of a file with these pictures: each list is followed by the values that do not fit into it, and then by the
/// next list. Its length depends on the numbers of values alone, not on what they are.
pub(super) fn head(mut lists: Vec<List>, big: bool) -> std::io::Result<Vec<u8>> {
    let word = if big { 8 } else { 4 };
    let mut bytes = header(if big { 16 } else { 8 }, big)?;
    let last = lists.len().saturating_sub(1);
    for (number, list) in lists.iter_mut().enumerate() {
        list.entries.sort_by_key(|entry| entry.0);
        let mut values = Vec::new();
        let values_at = bytes.len() as u64 + list.length();
        let count = list.entries.len() as u64;
        let mut entries =
            if big { count.to_ne_bytes().to_vec() } else { (count as u16).to_ne_bytes().to_vec() };
        for (tag, kind, count, of_tag) in &list.entries {
            entries.extend(tag.to_ne_bytes());
            entries.extend(kind.to_ne_bytes());
            entries.extend(places(&[*count], big)?);
            if of_tag.len() <= word {
                entries.extend(of_tag);
                entries.extend(vec![0; word - of_tag.len()]);
            } else {
                entries.extend(places(&[values_at + values.len() as u64], big)?);
                values.extend(of_tag);
                // values begin at even places
                values.extend(vec![0; values.len() % 2]);
            }
        }
        let next = values_at + values.len() as u64;
        entries.extend(places(&[if number == last { 0 } else { next }], big)?);
        bytes.extend(entries);
        bytes.extend(values);
    }
    Ok(bytes)
}
