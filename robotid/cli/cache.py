"""What the cache commands share: the store they look at."""

from collections.abc import Iterator
from contextlib import contextmanager

from robotid.cli.settings import Settings
from robotid.errors import UnsafePathError
from robotid.store.location import opened_store
from robotid.store.store import Store


@contextmanager
def cache_of(settings: Settings, *, writing: bool = False) -> Iterator[Store]:
    """The cache itself, also when it can only be read; an unusable one is an error here."""
    with opened_store(settings.cache_dir, shared=settings.shared_cache) as store:
        cache = store if store.lasting else store.behind
        if cache is None or (writing and not store.lasting):
            raise UnsafePathError("cache-not-used", store.notices[0].text())
        yield cache
