//! The laws, one module each; statistics of worlds beside Earth; recipes; and digests that change on purpose alone.
//!
//! One program, so that tests share the worlds they look at.

#[path = "../shared/cases.rs"]
mod cases;
mod earth;
mod golden;
mod law1_recipe;
mod law2_drainage;
mod law2_windows;
mod law3_borders;
mod law4_keys;
mod law5_coarse;
mod law5_drainage;
mod law6_drainage;
mod law6_water;
mod law7_file;
mod law8_knowledge;
mod recipes;
mod support;
