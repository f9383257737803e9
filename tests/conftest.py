"""Options of the test run."""


def pytest_addoption(parser):
    parser.addoption("--write-golden", action="store_true", help="write tests/golden/*.txt instead of comparing with them")
