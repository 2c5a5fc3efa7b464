"""$default: every other in-game action, and the answer to unknown ones."""

from shared.game.actions.action import GameAction
from shared.runtime.entry import answering
from shared.service.act import act

handler = answering({GameAction: act})
