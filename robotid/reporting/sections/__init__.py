"""Sections of a report, one module and one template each; `table` lists them in order."""
