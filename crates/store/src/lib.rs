//! The world file
