"""How data were filtered, for the report."""

from robotid.contracts.dataset import DatasetIndex
from robotid.contracts.fit import FilteredData


def filtered_data(index: DatasetIndex) -> dict[str, FilteredData]:
    """How the first recording of each split was filtered."""
    first = {split: name for name, split in reversed(index.splits.items())}
    found = {}
    for name in sorted(first.values()):
        facts = index.recordings[name]
        if facts.filter is not None and facts.filter.spectra is not None:
            found[name] = FilteredData(
                rate_hz=facts.rate_hz,
                cutoff_hz=facts.filter.cutoff_hz,
                effective_hz=facts.filter.effective_hz,
                **facts.filter.spectra.model_dump(),
            )
    return found
