"""A proposed map as the text of a TOML file, with reasons and what to check as comments."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from robotid.errors import BadDataError
from robotid.inspection.proposal import Proposal

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TABLES = ("time", "q", "qd", "tau", "tau_cmd", "current", "temperature")
_WIDTH = 100
_MOST_OTHERS = 4


def map_text(proposal: Proposal, log: str) -> str:
    """The file of a map; it reads back as the same map.

    Args:
        proposal: the map and what there is to say of it.
        log: what the log is called.
    """
    lines = [comment(f"Map of {log}, written by robotid.")]
    if proposal.checks:
        lines.append(comment("CHECK marks what is a guess or has to be filled in."))
    lines.append("")
    lines += _joints(proposal)
    for table in _TABLES:
        lines += _table(proposal, table)
    said = _remarks(proposal, "base")
    for part, signal in proposal.columns.base.items():
        lines += [*_written(f"base.{part}", signal.model_dump(exclude_defaults=True)), *said, ""]
        said = []
    for link, contact in proposal.columns.contact.items():
        table = f"contact.{_bare(link)}"
        lines += [*_written(table, contact.model_dump(exclude_defaults=True)), ""]
    lines += _remarks(proposal, "contact")
    return "\n".join(lines).rstrip("\n") + "\n"


def _joints(proposal: Proposal) -> Iterator[str]:
    joints = proposal.columns.joints
    if isinstance(joints, tuple) and joints:
        yield from _key("joints", joints)
    said = _remarks(proposal, "joints")
    if isinstance(joints, dict):
        yield "[joints]"
        yield from said
        for name, label in joints.items():
            yield f"{_bare(name)} = {quoted(label)}"
    else:
        yield from said
    if joints or said:
        yield ""


def _table(proposal: Proposal, table: str) -> Iterator[str]:
    found = getattr(proposal.columns, table)
    values = found.model_dump(exclude_defaults=True) if found is not None else {}
    said = _remarks(proposal, table)
    others = _others(proposal, table)
    if values or (table == "time" and said):
        yield from _written(table, values)
    elif said:
        yield comment(f"[{table}]")
    else:
        return
    yield from said
    yield from others
    yield ""


def _remarks(proposal: Proposal, table: str) -> list[str]:
    lines = []
    for remark in proposal.remarks:
        if remark.table == table:
            lines.append(comment(f"CHECK: {remark.text}" if remark.check else remark.text))
            if remark.line is not None:
                lines.append(comment(remark.line))
    return lines


def _others(proposal: Proposal, table: str) -> list[str]:
    passed = [p for p in proposal.passed if p.table == table]
    key = "column" if table == "time" else "columns"
    lines = [f"# {key} = {quoted(p.columns)}  # {_plain(p.reason)}" for p in passed]
    more = len(lines) - _MOST_OTHERS
    return lines[:_MOST_OTHERS] + ([f"# and {more} more"] if more > 0 else [])


def _written(table: str, values: Mapping[str, Any]) -> Iterator[str]:
    yield f"[{table}]"
    for name, value in values.items():
        yield from _key(name, value)


def _key(name: str, value: Any) -> Iterator[str]:
    text = f"{name} = {_value(value)}"
    if len(text) <= _WIDTH or not isinstance(value, tuple):
        yield text
        return
    yield f"{name} = ["
    for item in value:
        yield f"    {_value(item)},"
    yield "]"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, Sequence):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    return repr(value)


def _bare(key: str) -> str:
    return key if _BARE.fullmatch(key) else quoted(key)


def quoted(text: str) -> str:
    """A TOML string; what cannot be seen is written as an escape."""
    out = []
    for character in text:
        code = ord(character)
        if character in '"\\':
            out.append("\\" + character)
        elif 0xD800 <= code < 0xE000:
            said = f"the name {text!r} is no text and cannot be written into a map"
            raise BadDataError("name-not-text", said, hint="rename it")
        elif character.isprintable():
            out.append(character)
        else:
            out.append(f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}")
    return '"' + "".join(out) + '"'


def comment(text: str) -> str:
    """A line of comment; what would end the line or cannot be seen is written out."""
    return f"# {_plain(text)}"


def _plain(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii")
        for c in text
    )
