//! Nothing in a file can make the reader panic, hang or take memory without bound.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the message")]

#[path = "../common/mod.rs"]
mod common;

mod allocator;
mod damage;
mod forge;
mod forged;
