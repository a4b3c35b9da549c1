# The two commands of the README are `cargo run --release -- demo` and `make test`.
.PHONY: demo test check lint unit docs bench test-python

demo:
	cargo run --release -- demo

# Everything CI runs: lints, documentation, all tests.
test: lint docs unit test-python

check: test

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

unit:
	cargo test --workspace

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# The Python package: wheel and source distribution in fresh environments (Python 3.11 or newer).
test-python:
	python/test.sh

# The linear-time forms against the literal ones, as ratios from one run.
bench:
	cargo bench -p arss --bench literal
