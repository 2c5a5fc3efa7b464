"""How long a fresh process takes to have a function ready, as built, with both layers.

Processor time of the whole process, against a process that makes one bare botocore client for
DynamoDB. The interpreter is the one the artefact was built for, without this project's packages.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.load.figures import ROOT, Figure, figure, give, ratio

BUILT = ROOT / ".aws-sam" / "build"
RUNS = 7
BARE = (
    "import botocore.session;"
    "botocore.session.get_session().create_client('dynamodb', region_name='eu-north-1')"
)
IMPORT = "import app"
FIRST_USE = "import app; from shared.runtime.wiring import world; world()"
TABLES = ("TABLES", "CODES", "CONNECTIONS", "PLAYERS", "LIMITS", "GAMES", "SETTINGS")


def main() -> None:
    """Every function in turn, as often as all others."""
    programs = {"one bare DynamoDB client": (BUILT / "MoveFunction", BARE)}
    for folder in _functions():
        programs[folder.name] = (folder, IMPORT)
    programs["MoveFunction with its clients"] = (BUILT / "MoveFunction", FIRST_USE)
    measured: dict[str, list[float]] = {what: [] for what in programs}
    for _ in range(RUNS):
        for what, (folder, program) in programs.items():
            measured[what].append(_cpu_ms(folder, program))
    figures = {what: figure(f"start: {what}", "ms", values) for what, values in measured.items()}
    give([*figures.values(), *_ratios(figures)])


def _ratios(figures: dict[str, Figure]) -> list[Figure]:
    bare = figures["one bare DynamoDB client"]
    return [
        ratio(f"{what} to one bare client (aim: at most 3)", found, bare)
        for what, found in figures.items()
        if found is not bare
    ]


def _functions() -> list[Path]:
    found = sorted(folder for folder in BUILT.iterdir() if folder.name.endswith("Function"))
    if not found:
        raise RuntimeError("nothing is built: make build")
    return found


def _cpu_ms(folder: Path, program: str) -> float:
    layers = [BUILT / layer / "python" for layer in ("Shared", "Dependencies")]
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(map(str, [folder, *layers])),
        "AWS_DEFAULT_REGION": "eu-north-1",
        "AWS_ACCESS_KEY_ID": "local",
        "AWS_SECRET_ACCESS_KEY": "local",
        "AWS_EC2_METADATA_DISABLED": "true",
        "PYTHONDONTWRITEBYTECODE": "1",
        **{f"{name}_TABLE": name for name in TABLES},
    }
    command = [_interpreter(), "-s", "-c", program]
    process = subprocess.Popen(command, env=environment, cwd=folder)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{folder.name} does not start")
    return (used.ru_utime + used.ru_stime) * 1000


def _interpreter() -> str:
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    return str(Path(sys.base_prefix) / "bin" / name)


if __name__ == "__main__":
    main()
