"""The registry of rulesets: adding one is a file here and its line."""

from shared.game.rulesets.ruleset import Ruleset
from shared.game.rulesets.standard import Standard

RULESETS: dict[str, Ruleset] = {ruleset.name: ruleset for ruleset in (Standard(),)}
