"""Text from data, made safe to show: what would steer a terminal is shown as an escape."""

import unicodedata

# Control, format (bidirectional overrides, zero width), surrogate and separator characters.
_LONGEST = 10_000  # characters of one text; a path has 4096 at most
_HIDDEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def visible(text: str) -> str:
    r"""The text on one line, with `\x1b` and its like written out, and what is endless cut."""
    if len(text) > _LONGEST:
        text = f"{text[:_LONGEST]}… ({len(text):,} characters)"
    if text.isprintable():
        return text
    return "".join(c if unicodedata.category(c) not in _HIDDEN else _escape(c) for c in text)


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
