"""What lies in a queue: when it is received, how often, for how long, and where it ends."""

from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from infra.local.sources.messages import Message, Outgoing
from infra.local.sources.queue_state import MOST_IN_FLIGHT
from infra.local.sources.queues import Queues
from infra.local.timing.clock import TestClock
from tests.unit.local.sources.conftest import ARN, START, Sqs, spec, specs


@pytest.mark.fact("C.sqs.delay")
async def test_a_delayed_message_is_not_received_before_its_instant(sqs: Sqs) -> None:
    await sqs.send("later", DelaySeconds=900)
    sqs.wait(899.999)
    assert await sqs.receive() == []
    sqs.wait(0.001)
    assert await sqs.bodies() == ["later"]


@pytest.mark.fact("C.sqs.delay.of-the-queue")
async def test_a_message_has_its_queues_delay_unless_it_has_its_own(sqs: Sqs) -> None:
    await sqs.send("queue's", "slow")
    await sqs.send("own", "slow", DelaySeconds=0)
    assert await sqs.bodies("slow", WaitTimeSeconds=0) == ["own"]
    sqs.wait(100)
    assert "queue's" in await sqs.bodies("slow", WaitTimeSeconds=0)


@pytest.mark.fact("C.sqs.visibility", "C.sqs.receipt.each-receive")
async def test_a_received_message_is_hidden_until_its_timeout_and_gone_when_deleted(
    sqs: Sqs,
) -> None:
    await sqs.send("x")
    (first,) = await sqs.receive()
    sqs.wait(29.999)
    assert await sqs.receive() == []
    sqs.wait(0.001)
    (second,) = await sqs.receive()
    assert second["ReceiptHandle"] != first["ReceiptHandle"]
    await sqs.call("delete_message", ReceiptHandle=first["ReceiptHandle"])
    assert len(sqs.queue().messages) == 1
    await sqs.call("delete_message", ReceiptHandle=second["ReceiptHandle"])
    assert len(sqs.queue().messages) == 0
    await sqs.call("delete_message", ReceiptHandle=second["ReceiptHandle"])


@pytest.mark.fact("C.sqs.visibility.of-a-receive")
async def test_a_receive_may_hide_what_it_gets_for_as_long_as_it_likes(sqs: Sqs) -> None:
    await sqs.send("x")
    await sqs.receive(VisibilityTimeout=5)
    sqs.wait(5)
    assert await sqs.bodies(VisibilityTimeout=0) == ["x"]


@pytest.mark.fact("C.sqs.visibility.changed")
async def test_a_changed_visibility_counts_from_the_change_and_for_this_receive_only(
    sqs: Sqs,
) -> None:
    await sqs.send("x", "dead")
    (message,) = await sqs.receive("dead")
    sqs.wait(15)
    await change(sqs, "dead", message, 20)
    sqs.wait(19.999)
    assert await sqs.receive("dead") == []
    sqs.wait(0.001)
    (message,) = await sqs.receive("dead")
    await change(sqs, "dead", message, 0)
    (message,) = await sqs.receive("dead")
    sqs.wait(29.999)
    assert await sqs.receive("dead") == []
    sqs.wait(0.001)
    assert len(await sqs.receive("dead")) == 1


@pytest.mark.fact("C.sqs.visibility.twelve-hours")
async def test_nobody_hides_a_message_for_more_than_twelve_hours(sqs: Sqs) -> None:
    await sqs.send("x")
    (message,) = await sqs.receive()
    sqs.wait(1)
    with pytest.raises(ClientError, match=r"is beyond the limit \[43200 seconds\]"):
        await change(sqs, "work", message, 43_200)
    await change(sqs, "work", message, 43_199)


@pytest.mark.fact("C.sqs.visibility.not-in-flight")
async def test_the_visibility_of_a_message_that_nobody_holds_cannot_be_changed(sqs: Sqs) -> None:
    await sqs.send("x")
    (message,) = await sqs.receive()
    sqs.wait(30)
    with pytest.raises(sqs.client.exceptions.MessageNotInflight):
        await change(sqs, "work", message, 5)
    (message,) = await sqs.receive()
    await sqs.call("delete_message", ReceiptHandle=message["ReceiptHandle"])
    with pytest.raises(ClientError, match="Message does not exist or is not available"):
        await change(sqs, "work", message, 5)


@pytest.mark.fact("C.sqs.receipt.invalid")
@pytest.mark.parametrize("operation", ["delete_message", "change_message_visibility"])
async def test_a_receipt_of_nobodys_is_refused(sqs: Sqs, operation: str) -> None:
    await sqs.send("x", "dead")
    (message,) = await sqs.receive("dead")
    span: dict[str, Any] = (
        {"VisibilityTimeout": 1} if operation == "change_message_visibility" else {}
    )
    for receipt in ("nonsense", message["ReceiptHandle"]):
        with pytest.raises(sqs.client.exceptions.ReceiptHandleIsInvalid):
            await sqs.call(operation, ReceiptHandle=receipt, **span)


@pytest.mark.fact("C.sqs.retention")
async def test_a_message_is_kept_four_days(sqs: Sqs) -> None:
    await sqs.send("x")
    sqs.wait(345_599)
    assert await sqs.bodies(VisibilityTimeout=0) == ["x"]
    sqs.wait(1)
    assert await sqs.receive() == []
    assert sqs.queue().counts()["ApproximateNumberOfMessages"] == 0


@pytest.mark.fact("C.sqs.redrive", "C.sqs.redrive.message-unchanged", "C.sqs.redrive.source")
async def test_a_message_received_too_often_goes_to_the_dead_letters_as_it_was(sqs: Sqs) -> None:
    attributes = {"kind": {"DataType": "String", "StringValue": "bell"}}
    sent = await sqs.send("poison", MessageAttributes=attributes)
    for _ in range(2):
        assert await sqs.bodies() == ["poison"]
        sqs.wait(30)
    assert await sqs.receive() == []
    (dead,) = await sqs.receive("dead", AttributeNames=["All"], MessageAttributeNames=["All"])
    assert (dead["MessageId"], dead["Body"]) == (sent["MessageId"], "poison")
    assert dead["MessageAttributes"] == attributes
    assert dead["Attributes"] == {
        "ApproximateFirstReceiveTimestamp": str(START),
        "ApproximateReceiveCount": "3",
        "DeadLetterQueueSourceArn": ARN + "work",
        "SenderId": "000000000000",
        "SentTimestamp": str(START),
    }


@pytest.mark.fact("C.sqs.redrive")
def test_dead_letters_may_have_dead_letters_and_are_counted_anew(tmp_path: Path) -> None:
    clock = TestClock(tmp_path / "clock", START)
    chain = [
        spec("work", most_receives=2, dead_letters=ARN + "dead"),
        spec("dead", most_receives=1, dead_letters=ARN + "grave"),
        spec("grave"),
    ]
    queues = Queues(chain, clock)
    queues.by_name["work"].send(Outgoing("x"))
    received = dict.fromkeys(queues.by_name, 0)
    for _ in range(6):
        for name, queue in queues.by_name.items():
            received[name] += len(queue.receive(1, 0))
    assert received == {"work": 2, "dead": 1, "grave": 3}


@pytest.mark.fact("C.sqs.retention.dead-letters")
async def test_a_dead_letters_life_counts_from_its_sending_or_in_a_fifo_queue_from_its_move(
    sqs: Sqs,
) -> None:
    await sqs.send("x")
    await sqs.send("x", "line.fifo", MessageGroupId="a")
    for queue in ("work", "line.fifo"):
        await sqs.receive(queue)
    sqs.wait(30)
    for queue in ("work", "line.fifo"):
        await sqs.receive(queue)
    sqs.wait(300_000)
    for queue in ("work", "line.fifo"):
        assert await sqs.receive(queue) == []
    # The standard one has 400,000 s from its sending, the other 345,600 s from now.
    sqs.wait(400_000 - 300_030)
    assert await sqs.receive("dead") == []
    assert len(await sqs.receive("dead.fifo")) == 1
    sqs.wait(345_600 - 99_970)
    assert await sqs.receive("dead.fifo") == []


@pytest.mark.fact("C.sqs.in-flight")
async def test_a_standard_queue_has_at_most_120_000_messages_in_flight(sqs: Sqs) -> None:
    queue = sqs.queue("dead")
    for n in range(MOST_IN_FLIGHT):
        held = Message(str(n), "x", {}, START, START + 30_000, START, receipt="held")
        queue.messages[held.id] = held
    await sqs.send("one more", "dead")
    with pytest.raises(sqs.client.exceptions.OverLimit):
        await sqs.receive("dead")
    del queue.messages["7"]
    assert await sqs.bodies("dead") == ["one more"]


@pytest.mark.fact("C.sqs.purge")
async def test_a_purge_forgets_all_messages_and_comes_once_a_minute(sqs: Sqs) -> None:
    await sqs.send("held")
    await sqs.receive()
    await sqs.send("waiting")
    await sqs.call("purge_queue")
    assert sqs.queue().messages == {}
    sqs.wait(59)
    with pytest.raises(sqs.client.exceptions.PurgeQueueInProgress) as refused:
        await sqs.call("purge_queue")
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403
    sqs.wait(1)
    await sqs.call("purge_queue")


def test_messages_are_saved_with_their_instants(tmp_path: Path) -> None:
    clock = TestClock(tmp_path / "clock", START)
    before = Queues(specs(), clock)
    before.by_name["work"].send(Outgoing("later", delay_s=600))
    sent = before.by_name["line.fifo"].send(Outgoing("x", group_id="a"))
    before.by_name["line.fifo"].messages.clear()
    before.save(tmp_path / "queues.json")
    after = Queues(specs(), clock)
    due: list[int] = []
    after.by_name["work"].listeners.append(due.append)
    after.restore(tmp_path / "queues.json")
    assert due == [START + 600_000]
    assert after.by_name["work"].messages == before.by_name["work"].messages
    again = after.by_name["line.fifo"].send(Outgoing("x", group_id="a"))
    assert (again.id, again.sequence) == (sent.id, sent.sequence)
    assert after.by_name["line.fifo"].messages == {}


def test_messages_saved_by_another_version_are_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "queues.json").write_text('{"work": []}')
    Queues(specs(), TestClock(tmp_path / "clock", START)).restore(tmp_path / "queues.json")
    assert "saved by another version" in capsys.readouterr().err


async def change(sqs: Sqs, queue: str, message: dict[str, str], seconds: int) -> None:
    receipt = message["ReceiptHandle"]
    await sqs.call(
        "change_message_visibility", queue, ReceiptHandle=receipt, VisibilityTimeout=seconds
    )
