//! How much is tried.

/// As many cases as usual, or `TERRANE_LONG` times as many.
pub fn cases(usual: usize) -> usize {
    let times =
        std::env::var("TERRANE_LONG").map_or(1, |n| n.parse().expect("TERRANE_LONG is a whole number"));
    usual * times
}
