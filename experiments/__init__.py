"""Scripts that read top to bottom; run them from the repository root."""

import os

# Small matrices: a second BLAS thread costs more than it brings. Read when NumPy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
