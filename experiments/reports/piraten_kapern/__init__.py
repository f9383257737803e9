"""What millions of turns of Piraten Kapern teach."""
