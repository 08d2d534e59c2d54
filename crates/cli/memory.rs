//! Memory: what the large commands may take, what they need, and what they took.
//!
//! A need is estimated before any work, from figures that were measured; a command that needs more than `--max-memory` is
//! refused with what it needs and what would fit.

use crate::output::{Session, misuse};
use anyhow::Result;

/// The program with its threads, before it holds anything.
pub const PROGRAM_BYTES: f64 = 50e6;

/// `--max-memory` as bytes.
///
/// # Errors
/// No positive number.
pub fn limit(max_memory_gb: f64) -> Result<u64> {
    if max_memory_gb > 0.0 && max_memory_gb.is_finite() {
        return Ok((max_memory_gb * 1e9) as u64);
    }
    Err(misuse(format!("--max-memory {max_memory_gb}: expected a positive number of GB")))
}

/// Makes sure that a need is within the limit, if there is one. `fitting` says, for so many bytes, what could be asked instead.
///
/// # Errors
/// More is needed.
pub fn check(
    max_memory_gb: Option<f64>,
    (what, needed_bytes): (&str, f64),
    fitting: impl FnOnce(f64) -> String,
) -> Result<()> {
    let Some(gb) = max_memory_gb else { return Ok(()) };
    let limit = limit(gb)? as f64;
    if needed_bytes <= limit {
        return Ok(());
    }
    let needed = (needed_bytes / 1e8).ceil() / 10.0;
    Err(misuse(format!("--max-memory {gb}: {what} takes about {needed} GB; {}", fitting(limit))))
}

/// Most bytes of memory that this process has had, the program itself included (Linux).
fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

/// What stands around the number where the peak is told.
const TOLD: [&str; 2] = ["took at most ", " bytes of memory"];

/// Says with `-v` what the process has taken at most.
pub fn tell_peak(session: Session) {
    if let Some(bytes) = peak_bytes() {
        session.detail(&format!("{}{bytes}{}", TOLD[0], TOLD[1]));
    }
}

/// What a line of [`tell_peak`] says.
pub fn peak_in(line: &str) -> Option<u64> {
    line.strip_prefix(TOLD[0])?.strip_suffix(TOLD[1])?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_can_be_read() {
        assert_eq!(peak_in("took at most 12345 bytes of memory"), Some(12345));
        assert_eq!(peak_in("read 12345 bytes of 99"), None);
        assert!(!cfg!(target_os = "linux") || peak_bytes() > Some(1 << 20));
    }

    #[test]
    fn more_than_may_be_taken_is_refused_with_what_fits() {
        let asked = |gb| check(gb, ("a map", 2.5e9), |bytes| format!("{bytes} bytes fit"));
        assert!(asked(None).is_ok() && asked(Some(2.5)).is_ok());
        let said = asked(Some(2.4)).expect_err("more than 2.4 GB").to_string();
        assert_eq!(said, "--max-memory 2.4: a map takes about 2.5 GB; 2400000000 bytes fit");
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(asked(Some(wrong)).is_err(), "{wrong}");
        }
    }
}
