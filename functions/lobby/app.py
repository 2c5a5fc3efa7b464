"""createTable and leaveTable: tables come and go."""

from shared.game.actions.leave_table import LeaveTable
from shared.protocol.inbound import CreateTable
from shared.runtime.entry import answering
from shared.service.act import act
from shared.service.create import create

handler = answering({CreateTable: create, LeaveTable: act})
