"""Files that a command writes for its user: never over another one, unless it may."""

from pathlib import Path


def write_text_file(path: Path, text: str, what: str, *, force: bool) -> None:
    """Write a file; another one that is there stays, unless it may be replaced.

    Args:
        path: where.
        text: all of it.
        what: it is called in messages, such as `the map`.
        force: replace a file that is there.
    """
    from robotid.errors import from_os_error
    from robotid.store.files import add_file, replace_file

    content = text.encode()
    refuse_other_file(path, text, what, force=force)
    try:
        if _holds(path, content):
            return
        if force:
            replace_file(path, content)
        else:
            add_file(path, content)
    except OSError as error:
        raise from_os_error(error, f"writing {what}", str(path)) from error


def refuse_other_file(path: Path, text: str, what: str, *, force: bool) -> None:
    """Fail before anything is written, if something else is in the way."""
    from robotid.errors import UsageError, from_os_error

    try:
        # A link that leads nowhere is in the way as well.
        in_the_way = path.is_symlink() or path.exists()
        if path.is_dir() and not path.is_symlink():
            said = f"{what} is not written: this is a folder"
            raise UsageError("output-exists", said, file=str(path), hint="name a file in it")
        if force or not in_the_way or _holds(path, text.encode()):
            return
    except OSError as error:
        raise from_os_error(error, f"writing {what}") from error
    hint = "--force replaces it, --out names another"
    said = f"{what} is not written: something else is there"
    raise UsageError("output-exists", said, file=str(path), hint=hint)


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and path.read_bytes() == content
