//! Panics in the readers of Parquet and Arrow files become errors.
//!
//! These crates check most of what they read, but broken bytes still make them panic here and there. A panic would
//! reach the user as a backtrace, so it is caught and reported like any other broken file. What cannot be caught, an
//! allocation that fails, is prevented before: `parquet_check.rs` and `arrow_check.rs` look at the lengths first.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Panics of guarded threads print nothing; all others print as before.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !GUARDED.get() {
                usual(info);
            }
        }));
    });
}

/// What `read` gives, or the words of its panic. Work that it hands to other threads needs a guard of its own.
pub fn guarded<T>(read: impl FnOnce() -> T) -> Result<T, String> {
    silence();
    let outer = GUARDED.replace(true);
    // What `read` changes is dropped with the failure, so nothing half changed is seen.
    let result = panic::catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(outer);
    result.map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
        text.and_then(|text| text.lines().next().map(crate::text::cut))
            .unwrap_or_else(|| "it holds nonsense".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_words() {
        assert_eq!(guarded(|| 5), Ok(5));
        let row = std::hint::black_box(7);
        assert_eq!(guarded(|| [1, 2][row]), Err("index out of bounds: the len is 2 but th...".to_owned()));
        assert_eq!(guarded(|| -> () { panic!("two\nlines") }), Err("two".to_owned()));
        assert!(!GUARDED.get());
    }
}
