//! Refinement: a world answers at any place and resolution
