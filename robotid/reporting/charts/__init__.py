"""Charts as SVG: what to draw in numbers, where that is on paper, and templates that draw it."""
