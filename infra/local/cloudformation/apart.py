"""The SAM transform in a process of its own, and its result kept with the state.

A template that did not change since the last start is not transformed again. What is kept is found
by all that it depends on: the file's text, the parameters, the translator and the code around it.
"""

import asyncio
import hashlib
import inspect
import json
import os
import sys
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from infra.local.cloudformation import intrinsics, parameters, transform
from infra.local.cloudformation.intrinsics import TemplateError
from infra.local.cloudformation.transform import Source

ROOT: Final = Path(__file__).resolve().parents[3]
TRANSLATOR: Final = "aws-sam-translator"


async def transformed(source: Source, kept: Path) -> dict[str, Any]:
    """Return the template after the transform; the file `kept` holds the last one.

    Raises TemplateError.
    """
    key = _key(source)
    if (document := _found(kept, key)) is not None:
        return document
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", transform.__name__),
        *(str(source.path), json.dumps(dict(source.parameters))),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said, _ = await process.communicate()
    if process.returncode != 0:
        raise TemplateError(
            f"the transform of {source.path} ended with status {process.returncode}"
        )
    answer = json.loads(said)
    if "error" in answer:
        raise TemplateError(answer["error"])
    _keep(kept, {"key": key, **answer})
    return dict(answer["document"])


def _found(kept: Path, key: str) -> dict[str, Any] | None:
    """A file that cannot be read is one that is not there: it is written anew."""
    try:
        known = json.loads(kept.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return dict(known["document"]) if known.get("key") == key else None


def _keep(kept: Path, content: Mapping[str, Any]) -> None:
    unfinished = kept.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(content), encoding="utf-8")
    unfinished.replace(kept)


def _key(source: Source) -> str:
    ours = [inspect.getsource(module).encode() for module in (transform, parameters, intrinsics)]
    asked = [json.dumps(sorted(source.parameters.items())).encode(), version(TRANSLATOR).encode()]
    digest = hashlib.sha256()
    for part in (source.path.read_bytes(), *ours, *asked):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()
