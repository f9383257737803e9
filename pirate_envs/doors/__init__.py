"""Ways in: the conventions of other libraries, each on one page."""
