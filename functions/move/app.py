"""move: the side on move plays."""

from shared.game.actions.move import Move
from shared.runtime.entry import answering
from shared.service.act import act

handler = answering({Move: act})
