"""What millions of cycles of Piratenpoker teach."""
