"""joinTable: sit down by code."""

from shared.protocol.inbound import JoinTable
from shared.runtime.entry import answering
from shared.service.join import join

handler = answering({JoinTable: join})
