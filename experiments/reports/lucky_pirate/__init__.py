"""What millions of matches of Lucky Pirate teach."""
