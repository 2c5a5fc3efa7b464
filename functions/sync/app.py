"""hello, sync and ping: who am I, where do we stand, is anybody there."""

from shared.protocol.inbound import Ping, SayHello, Sync
from shared.runtime.entry import answering
from shared.service.hello import hello
from shared.service.sync import ping, sync

handler = answering({SayHello: hello, Sync: sync, Ping: ping})
