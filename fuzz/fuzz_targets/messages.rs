//! Requests and results of passes, as they come over a network.
#![no_main]

use arss::distributed::{RowState, RowsOf, StepRequest, merge};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let data: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17) - 5.0).collect();
    let rows = RowsOf { data: &data, shape: (10, 4), strides: (4, 1) };
    if let Ok(request) = StepRequest::decode(bytes) {
        let mut state = RowState { values: Vec::new(), numbers: Vec::new() };
        let place = (0, arss::distributed::RowAttributes::default());
        if let Ok(result) = request.apply(&rows, place, &mut state) {
            merge(&result, &result).expect("a result of this program merges with itself");
        }
    }
    let _ = merge(bytes, bytes);
});
