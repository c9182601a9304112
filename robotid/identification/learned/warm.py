"""A training that begins with what an earlier one has learned."""

from pathlib import Path

from robotid.contracts.fit import FIT
from robotid.contracts.learned import Architecture
from robotid.errors import BadDataError
from robotid.information.layout import Layout
from robotid.models.learned.inverse import InverseModel
from robotid.models.learned_from_fit import read_learned


def begin_with(
    folder: Path, model: InverseModel, architecture: Architecture, layout: Layout
) -> None:
    """Take over all weights of an earlier fit; one of another model or robot is refused.

    Usual sizes of motions and torques are among them: new data are seen as the old ones were.
    """
    earlier, file = read_learned(folder), str(folder / FIT)
    if earlier.model.layout.digest != layout.digest:
        said = f"the earlier fit is of robot {earlier.fit.robot.name} with another geometry"
        hint = "give the same robot file, locks and gravity as to the earlier fit"
        raise BadDataError("other-robot", said, file=file, hint=hint)
    if earlier.model.layout.own != layout.own:
        said = "the earlier fit has other terms of joints, or other widths"
        raise BadDataError("other-terms", said, file=file, hint="give the same --terms")
    for key in Architecture.model_fields:
        before, now = getattr(earlier.fit.architecture, key), getattr(architecture, key)
        if before != now:
            said = f"the earlier fit has {key} {before!r}, this one {now!r}"
            hint = "give the same model and layers as to the earlier fit"
            raise BadDataError("other-architecture", said, file=file, hint=hint)
    model.load_state_dict(earlier.model.model.state_dict())
