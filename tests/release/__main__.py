"""``python -m tests.release``; what processes share must lie in a module that they can import."""

from tests.release.measuring import main

if __name__ == "__main__":
    main()
