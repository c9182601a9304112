"""`tracking.html`: models as inverse dynamics of a robot, as one page that opens anywhere."""

from collections.abc import Sequence

from robotid.contracts.tracked_motions import TrackedMotion
from robotid.contracts.tracking import Tracking
from robotid.reporting.environment import environment, policy
from robotid.reporting.tracking.charts import by_gain, motions
from robotid.reporting.tracking.summary import joint_tables, statements, tables

PAGE = "tracking.html"


def render_tracking(found: Tracking, shown: Sequence[TrackedMotion]) -> str:
    """The page as one HTML document."""
    return (
        environment()
        .get_template("tracking.html.j2")
        .render(
            found=found,
            policy=policy(),
            statements=statements(found),
            tables=tables(found),
            by_gain=by_gain(found),
            motions=motions(found, shown),
            joint_tables=joint_tables(found),
        )
    )
