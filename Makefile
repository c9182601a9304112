# make demo   environment in .venv, then the main job on the sample logs up to a report
# make test   environment in .venv, then all tests
# make lint   ruff and mypy
# make bench  docs/benchmarks.md (against other tools, growth) and docs/scale.md (installs what is compared with)
# make measurements  all other measurements, among them thousands of faults, into docs/measurements.md (hours)
# make tables  pipelines with published figures, into docs/results (hours)
# make picture  the picture of a report in the README (needs chromium)
# make soak   tests at full count: 55,000 generated files, 200 sound logs, every sample log made again
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test lint bench measurements tables soak schemas picture clean

demo: .venv/installed
	@start=$$(date +%s); \
	$(BIN)/robotid run pipelines/quickstart.toml --out out/quickstart --force && \
	echo "Four models fitted and compared in $$(( $$(date +%s) - start )) s." && \
	echo "The report is out/quickstart/report/report.html"

# Tests run side by side, but for those that measure time or memory.
test: .venv/installed-test
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile -m "not alone"
	$(BIN)/python -m pytest -m alone

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/installed-bench
	$(BIN)/python benchmarks/bench.py

measurements: .venv/installed-bench
	$(BIN)/python benchmarks/all.py

tables: .venv/installed-test
	$(BIN)/python benchmarks/tables.py

soak: .venv/installed-bench
	$(BIN)/python benchmarks/soak.py
	ROBOTID_POINTS=100000 $(BIN)/python -m pytest -q tests/excitation/test_certificate.py
	ROBOTID_SAMPLE_LOGS=all $(BIN)/python -m pytest -q tests/sample_logs
	$(BIN)/python benchmarks/long_log.py --millions 17.5

schemas: .venv/installed
	$(BIN)/python -m robotid.cli.schemas

picture: demo .venv/installed-test
	$(BIN)/robotid report out/quickstart/sdp --out out/picture --force
	$(BIN)/python docs/images/make_picture.py out/picture/report.html

clean:
	rm -rf .venv out

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/installed-test: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	@touch $@ .venv/installed

.venv/installed-dev: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[test,dev]"
	@touch $@ .venv/installed-test .venv/installed

.venv/installed-bench: .venv/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable ".[test,bench]"
	@touch $@ .venv/installed-test .venv/installed
