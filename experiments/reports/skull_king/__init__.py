"""What millions of hands of Skull King teach."""
