"""`rollout.html`: models left to run, as one page that opens anywhere."""

from collections.abc import Sequence

from robotid.contracts.rollout import Rollout, Trajectory
from robotid.reporting.environment import environment, policy
from robotid.reporting.rollout.charts import divergence, energies, errors, joint_errors, motions
from robotid.reporting.rollout.summary import fits_table, statements

PAGE = "rollout.html"


def render_rollout(found: Rollout, trajectories: Sequence[Trajectory]) -> str:
    """The page as one HTML document."""
    return (
        environment()
        .get_template("rollout.html.j2")
        .render(
            found=found,
            policy=policy(),
            statements=statements(found),
            table=fits_table(found),
            motions=motions(found, trajectories),
            errors=errors(found),
            joint_errors=joint_errors(found),
            energies=energies(found, trajectories),
            divergence=divergence(found),
        )
    )
