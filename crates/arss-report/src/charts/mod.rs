//! What the charts of the page are drawn from.

pub mod histogram;
pub mod map;
pub mod projection;
