"""What a refusal says to a person, in the language of his connection.

The words are in `catalogs`, one file per language: a text per code, or per code and reason, with
`{name}` for a parameter and one/other forms where a number decides. Pages that switch language
make their own words of code and parameters.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import msgspec

DEFAULT = "en"
LANGUAGES: frozenset[str] = frozenset({DEFAULT, "nl", "et"})
_CATALOGS = Path(__file__).parent / "catalogs"


class Plural(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text that depends on the number in the parameter `by`, by the rule all three share."""

    by: str
    one: str
    other: str


Catalog = dict[str, str | Plural]


def notice(language: str, code: str, parameters: Mapping[str, str | int]) -> str:
    """The text for a refusal; a language that is not known is answered in English."""
    texts = catalog(choose_language(language))
    reason = parameters.get("reason")
    text = texts[f"{code}.{reason}" if reason else code]
    if isinstance(text, Plural):
        text = text.one if parameters[text.by] == 1 else text.other
    return text.format_map(parameters)


def choose_language(tag: str) -> str:
    """The language to use for a tag such as `nl-BE` (RFC 5646)."""
    language = tag.replace("_", "-").split("-")[0].lower()
    return language if language in LANGUAGES else DEFAULT


@cache
def catalog(language: str) -> Catalog:
    """All texts of a language there is."""
    text = (_CATALOGS / f"{language}.json").read_bytes()
    return msgspec.json.decode(text, type=Catalog)
