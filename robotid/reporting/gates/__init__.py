"""Gates: expressions about fits that must not hold; the grammar is in docs/gates.md."""
