"""The codes that people read to each other to meet at a table.

Six of 28 letters and digits: no I, L, O, 0, 1, and of 2 and Z, 5 and S, 8 and B the letter only.
Pure: the randomness is handed in.
"""

import unicodedata

ALPHABET = "ABCDEFGHJKMNPQRSTUVWXYZ34679"
LENGTH = 6
ENTROPY_BYTES = 12
"""Enough to draw from, so that no code is likelier than another by more than one part in 2**67."""


def make_code(random_bytes: bytes) -> str:
    """A code, drawn by `ENTROPY_BYTES` random bytes."""
    if len(random_bytes) < ENTROPY_BYTES:
        raise ValueError(len(random_bytes))
    drawn = int.from_bytes(random_bytes, "big")
    letters = []
    for _ in range(LENGTH):
        drawn, letter = divmod(drawn, len(ALPHABET))
        letters.append(ALPHABET[letter])
    return "".join(letters)


def normalise_code(text: str) -> str | None:
    """The code somebody typed, or pasted with the link it ends. None: not a code.

    Lower case, spaces and hyphens are forgiven.
    """
    typed = text.rpartition("#")[2]
    letters = "".join(character for character in typed if not _is_gap(character))
    code = letters.upper() if letters.isascii() else ""
    is_code = len(code) == LENGTH and all(letter in ALPHABET for letter in code)
    return code if is_code else None


def _is_gap(character: str) -> bool:
    """Spaces of all kinds, and the dashes that telephones make of a hyphen."""
    return character.isspace() or unicodedata.category(character) == "Pd"
