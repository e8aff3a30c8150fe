# The commands everybody runs. Each works in any environment that `make setup` prepared.
.DEFAULT_GOAL := help
.PHONY: help setup check test slow docs coverage

help:           ## list the commands
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## /  make \1\t/' | expand -t 18

setup:          ## install for development into the active environment, and the commit hooks
	pip install -e '.[dev,docs]'
	pre-commit install

check:          ## lint, layout and types
	ruff check .
	ruff format --check .
	mypy

test:           ## the default tests: three minutes on two cores
	pytest

slow:           ## what the default leaves out
	pytest -m slow

docs:           ## read the prose as an editor would, and build the site into docs/_build/html
	python .ci/check_prose.py
	$(MAKE) -C docs html

coverage:       ## all tests, with a floor for the lines that they reach
	pytest -m "slow or not slow" tests src paper README.md --cov --cov-report=term:skip-covered --cov-report=xml
