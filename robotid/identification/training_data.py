"""The training data of a fit as its folder keeps them, for fits that continue it."""

from robotid.contracts.fit_data import TrainedRecording
from robotid.contracts.training import Training, TrainingFacts
from robotid.fitting.evidence import Evidence
from robotid.identification.request import Request
from robotid.information.recording import about_of, tensors_of


def training_of(request: Request, train: Evidence) -> Training | None:
    """All training data, one factor per row; None where gains of drives are part of the numbers.

    Args:
        request: of the fit.
        train: its training data, those of earlier fits among them.
    """
    if request.ready.gains:
        return None
    data = request.ready.data
    counts: dict[str, int] = {}
    for block in data.of("train"):
        counts[block.recording] = counts.get(block.recording, 0) + block.samples
    own = [
        TrainedRecording(
            name=name,
            source_sha256=request.index.recordings[name].source_sha256,
            samples=samples,
        )
        for name, samples in counts.items()
    ]
    before = request.earlier.stated.recordings if request.earlier else []
    facts = TrainingFacts(
        about=about_of(data.layout, request.torque),
        independent=train.independent,
        recordings=[*before, *own],
    )
    return Training(facts, tensors_of([train.merged()]))
