"""What factors are made of: configuration keys that stages share. Light to import."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from robotid.contracts.forces import Forces
from robotid.dynamics.term_options import TermOptions
from robotid.dynamics.terms import DEFAULT_TERMS


class FactorOptions(TermOptions):
    """Terms of joints, the signal that stands for torque, and which generalised forces count."""

    torque: Literal["tau", "tau_cmd", "current"] = Field(
        default="tau",
        description="The signal that stands for torque: measured, commanded, or drive current; "
        "gains of currents are identified with a known load (see loaded).",
    )
    rows: Literal["all", "base"] = Field(
        default="all",
        description="Which generalised forces count: those of all rows, or of a floating base "
        "alone, which need contacts and no torques of joints.",
    )
    contacts: Literal["measured", "projected"] = Field(
        default="measured",
        description="Whether contact forces are recorded; projected: they are not, and what they "
        "may have added is taken out of all rows.",
    )
    contact_links: tuple[str, ...] = Field(
        default=(), description="Links that contacts act on, where their forces are not recorded."
    )
    contact_moments: bool = Field(
        default=False,
        description="Whether contacts whose forces are not recorded also turn these links, as flat "
        "feet do.",
    )

    @model_validator(mode="after")
    def _of_contacts(self) -> Self:
        if self.contacts == "projected":
            if self.rows == "base":
                raise ValueError("contacts projected leaves nothing of the rows of a base alone")
            if not self.contact_links:
                raise ValueError("contacts projected: contact_links has to name links")
        elif self.contact_links or self.contact_moments:
            raise ValueError("contact_links and contact_moments are for contacts projected")
        return self

    def forces(self) -> Forces:
        """Which generalised forces count."""
        if self.contacts == "projected":
            links = self.contact_links
            return Forces(kind="projected", links=links, moments=self.contact_moments)
        return Forces(kind=self.rows)

    def layout_arguments(self) -> dict[str, Any]:
        """The same as arguments of `Layout`; rows of a base have no usual terms of joints."""
        given = super().layout_arguments()
        if self.rows == "base" and self.terms == DEFAULT_TERMS:
            given["terms"] = ()
        return {**given, "forces": self.forces()}
