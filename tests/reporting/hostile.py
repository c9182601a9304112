"""Text that would like to be more than text, in every field of a fit that reaches a page."""

import re
from html import escape
from typing import get_args

from pydantic import BaseModel

from robotid.contracts.fit import FIT, FitResult, ParameterStatus
from robotid.contracts.fit_data import Continued, TrainedRecording
from robotid.contracts.forces import Forces
from robotid.contracts.forward import EnergyClass, ForwardResult
from robotid.contracts.splits import Split
from robotid.reporting.view import FitView, ForwardView
from robotid.robot.catalog import FILES
from tests.reporting.forward import forward_view
from tests.reporting.full import METRICS, full_view

_HIT = "window.__hit=1"
PAYLOADS = (
    f"<script>{_HIT}</script>",
    f"</td></tr></table><script>{_HIT}</script>",
    f"</script><script>{_HIT}</script>",
    f"</style><script>{_HIT}</script>",
    f"</title><script>{_HIT}</script>",
    f"</svg><script>{_HIT}</script>",
    f"<img src=x onerror={_HIT}>",
    f'<img src="x" onerror="{_HIT}">',
    f"<svg onload={_HIT}>",
    f"<svg><script>{_HIT}</script></svg>",
    f"<svg><animate onbegin={_HIT} attributeName=x dur=1s>",
    f"<math><mi xlink:href=javascript:{_HIT}>x</mi></math>",
    f"<iframe srcdoc='<script>parent.{_HIT}</script>'>",
    f"<iframe src=javascript:parent.{_HIT}>",
    f"<body onload={_HIT}>",
    f"<details open ontoggle={_HIT}>",
    f"<input autofocus onfocus={_HIT}>",
    f"<a href=javascript:{_HIT}>x</a>",
    "<base href=//example.org/>",
    "<link rel=stylesheet href=//example.org/x.css>",
    f"<meta http-equiv=refresh content='0;url=javascript:{_HIT}'>",
    "<form action=//example.org><button>",
    "<style>*{display:none}</style>",
    f'" onload="{_HIT}',
    f"' onmouseover='{_HIT}",
    f'"><script>{_HIT}</script>',
    f"--><script>{_HIT}</script><!--",
    f"<![CDATA[><script>{_HIT}</script>]]>",
    "{{ 7 * 7 }}{% raw %}",
    "{{ self.__init__.__globals__ }}",
    "`+(window.__hit=1)+`",
    f"javascript:{_HIT}",
    "&lt;b&gt;&#60;script&#62;",
    f"\u202e<script>{_HIT}</script>",
    f"<scr\ufffdipt>{_HIT}</scr\ufffdipt>",
    "</html>",
    "%3Cscript%3E\\u003cscript\\u003e",
)

# what is one of a few words, here and in a file that was changed
_CLOSED = {
    *METRICS,
    *get_args(Split),
    *get_args(ParameterStatus),
    *get_args(EnergyClass),
    *("recording", "segment", "torque", "acceleration", "known", "learned"),
    *get_args(Forces.model_fields["kind"].annotation),
}


_EARLIER = Continued(
    fit_sha256="facade",
    model="wls",
    samples=90,
    recordings=[TrainedRecording(name="old", source_sha256="beef", samples=90)],
)


def hostile_view(folder, payload):
    """A fit of a robot whose every name, and all else that is text, begins with the payload."""
    fit = full_view(folder, _hostile_robot(folder, payload), samples=120, lines=9).fit
    fit = fit.model_copy(update={"continues": _EARLIER})
    changed = FitResult.model_validate(_changed(fit, payload))
    kept = {"options": fit.robot.options, "file": fit.robot.file}
    changed = changed.model_copy(
        update={"terms": fit.terms, "robot": changed.robot.model_copy(update=kept)}
    )
    (folder / FIT).write_text(changed.model_dump_json(), encoding="utf-8")
    return FitView.read(payload, folder)


def hostile_forward_view(folder, payload):
    """The same of a forward model, whose kinematics were learned."""
    robot = _hostile_robot(folder, payload)
    fit = forward_view(folder, robot, actuator="stribeck", learned=True).fit
    changed = ForwardResult.model_validate(_changed(fit, payload))
    used = {"options": fit.robot.options, "file": fit.robot.file}
    changed = changed.model_copy(
        update={
            "actuator": fit.actuator,
            "options": {**fit.options, "remark": payload},  # others say what the weights are
            "robot": changed.robot.model_copy(update=used),
        }
    )
    (folder / FIT).write_text(changed.model_dump_json(), encoding="utf-8")
    return ForwardView.read(payload, folder)


def _hostile_robot(folder, payload):
    urdf = folder.with_suffix(".urdf")
    plain = (FILES / "double_pendulum.urdf").read_text(encoding="utf-8")
    urdf.write_text(_NAME.sub(rf"\1{_in_xml(payload)}\2", plain), encoding="utf-8")
    return str(urdf)


_NAME = re.compile(r'((?:name|link)=")(\w+")')


def _in_xml(payload):
    return escape(payload).replace("\\", "\\\\")  # what `sub` would take for a group


def _changed(value, payload):
    """Names of robot and joints have the payload already; so have names made of them."""
    if isinstance(value, BaseModel):
        return {name: _changed(getattr(value, name), payload) for name in type(value).model_fields}
    if isinstance(value, dict):
        return {_changed(k, payload): _changed(each, payload) for k, each in value.items()}
    if isinstance(value, list | tuple):
        return [_changed(each, payload) for each in value]
    if isinstance(value, str) and value not in _CLOSED and payload not in value:
        return payload + value
    return value
