# The two commands of the README are `cargo run --release -- demo` and `make test`.
.PHONY: demo test check lint unit docs bench

demo:
	cargo run --release -- demo

# Everything CI runs: lints, documentation, all tests.
test: lint docs unit

check: test

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

unit:
	cargo test --workspace

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# The linear-time forms against the literal ones, as ratios from one run.
bench:
	cargo bench -p arss --bench literal
