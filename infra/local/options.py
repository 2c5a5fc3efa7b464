"""What the local system can be told on the command line."""

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from infra.local.apigateway.throttles import LIMIT_NAMES
from infra.local.switches import FaultError, Wish, read_arguments

# The AWS SDK, which nearly every function imports, and what its clients import when made.
PRELOAD: Final = ("botocore.session", "botocore.client", "botocore.httpsession")
WEB: Final = Path("web")


@dataclass(frozen=True, slots=True)
class Options:
    """How to run: the defaults suit a project with a template.yaml in the current folder."""

    port: int = 8080
    host: str = "127.0.0.1"
    template: Path = Path("template.yaml")
    static: Path | None = None
    state: Path = Path(".local/state")
    layers: tuple[Path, ...] = (Path(),)
    parameters: dict[str, str] = field(default_factory=dict)
    preload: tuple[str, ...] = PRELOAD
    workers: int = 4
    name: str | None = None
    region: str = "us-east-1"
    stack_name: str = "local"
    has_test_clock: bool = False
    reloads: bool = False
    is_in_process: bool = False
    is_verbose: bool = False
    faults: Wish = field(default_factory=Wish)
    limits: dict[str, float] = field(default_factory=dict)


def read_options(arguments: list[str] | None = None) -> Options:
    """Return the options; ends the program with a usage message when they make no sense."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        faults = read_arguments(given.fault or (), given.seed)
        faults.values(has_workers=not given.in_process)
    except FaultError as error:
        parser.exit(2, f"{error}\n")
    return Options(
        port=given.port,
        host=given.host,
        template=given.template,
        static=given.static or (WEB if WEB.is_dir() else None),
        state=given.state,
        layers=tuple(given.layer or Options().layers),
        parameters=dict(given.param or ()),
        preload=(*PRELOAD, *(given.preload or ())),
        workers=given.workers,
        name=given.name,
        region=given.region,
        stack_name=given.stack_name,
        has_test_clock=given.test_clock,
        reloads=given.reload,
        is_in_process=given.in_process,
        is_verbose=given.verbose,
        faults=faults,
        limits=dict(given.limit or ()),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m infra.local",
        description="Runs a serverless WebSocket project whole on this machine.",
    )
    add = parser.add_argument
    add("--port", type=int, default=8080, help="0 takes a free one (default 8080)")
    add("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    add("--template", type=Path, default=Path("template.yaml"), help="the SAM template")
    add("--static", type=Path, help="folder served at / (default web, where there is one)")
    add("--state", type=Path, default=Path(".local/state"), help="folder that keeps all state")
    add(
        "--layer",
        type=Path,
        action="append",
        help="folder on every function's path; repeatable (default .)",
    )
    add("--param", type=_pair, action="append", metavar="KEY=VALUE", help="template parameter")
    add("--preload", action="append", metavar="MODULE", help="imported once for all workers")
    add("--workers", type=_at_least_one, default=4, help="most processes per function (default 4)")
    add("--name", help="what the ready line calls the project")
    add("--region", default="us-east-1", help="pretended region (default us-east-1)")
    add("--stack-name", default="local", help="prefix of generated names (default local)")
    add("--test-clock", action="store_true", help="time stands still until it is advanced")
    add("--reload", action="store_true", help="load handlers anew when files change")
    add("--verbose", action="store_true", help="tell each invocation and how long it took")
    add("--in-process", action="store_true", help="handlers run here, for a debugger")
    add("--fault", action="append", metavar="NAME=VALUE", help="what AWS leaves open; repeatable")
    add("--seed", type=int, help="what faults are drawn from (default 0)")
    add("--limit", type=_limit, action="append", metavar="NAME=N", help="of the AWS account")
    return parser


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("a whole number from 1 on is wanted")
    return int(text)


def _limit(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    if name not in LIMIT_NAMES or not value.replace(".", "", 1).isdecimal():
        raise argparse.ArgumentTypeError(f"NAME=N is wanted, NAME one of {', '.join(LIMIT_NAMES)}")
    return name, float(value)


def _pair(text: str) -> tuple[str, str]:
    key, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("KEY=VALUE is wanted")
    return key, value
