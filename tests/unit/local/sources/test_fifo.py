"""FIFO queues: order within groups, no message twice, receipts that expire."""

import hashlib

import pytest
from botocore.exceptions import ClientError

from infra.local.sources.queue_state import Queue
from tests.unit.local.sources.conftest import Sqs

LINE = "line.fifo"


@pytest.mark.fact("C.sqs.fifo.group")
async def test_a_message_without_a_group_is_refused_alone_or_in_a_batch(sqs: Sqs) -> None:
    with pytest.raises(ClientError, match="must contain the parameter MessageGroupId"):
        await sqs.send("x", LINE)
    entries = [
        {"Id": "a", "MessageBody": "x", "MessageGroupId": "g"},
        {"Id": "b", "MessageBody": "y"},
    ]
    with pytest.raises(ClientError, match="must contain the parameter MessageGroupId"):
        await sqs.call("send_message_batch", LINE, Entries=entries)
    assert sqs.queue(LINE).messages == {}


@pytest.mark.fact("C.sqs.fifo.order")
async def test_a_group_comes_in_order_and_waits_while_one_of_it_is_held(sqs: Sqs) -> None:
    for body in ("a1", "b1", "a2", "a3"):
        await sqs.send(body, LINE, MessageGroupId=body[0])
    (first,) = await sqs.receive(LINE, MaxNumberOfMessages=1)
    assert first["Body"] == "a1"
    assert await sqs.bodies(LINE) == ["b1"]
    await sqs.call("delete_message", LINE, ReceiptHandle=first["ReceiptHandle"])
    assert await sqs.bodies(LINE) == ["a2", "a3"]


@pytest.mark.fact("C.sqs.fifo.order")
async def test_what_was_not_deleted_comes_again_before_what_follows_it(sqs: Sqs) -> None:
    for body in ("a1", "a2"):
        await sqs.send(body, LINE, MessageGroupId="a")
    first, _ = await sqs.receive(LINE)
    await sqs.send("a3", LINE, MessageGroupId="a")
    await sqs.call(
        "change_message_visibility", LINE, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=0
    )
    # The second one is still held: nothing of the group comes, not even the first.
    assert await sqs.receive(LINE) == []
    sqs.wait(30)
    assert await sqs.bodies(LINE) == ["a1", "a2", "a3"]


@pytest.mark.fact("C.sqs.fifo.order", "C.sqs.redrive")
async def test_a_dead_letter_no_longer_holds_up_its_group(sqs: Sqs) -> None:
    for body in ("a1", "a2"):
        await sqs.send(body, LINE, MessageGroupId="a")
    for _ in range(2):
        assert await sqs.bodies(LINE, MaxNumberOfMessages=1) == ["a1"]
        sqs.wait(30)
    assert await sqs.bodies(LINE) == ["a2"]
    (dead,) = await sqs.receive("dead.fifo", AttributeNames=["MessageGroupId"])
    assert (dead["Body"], dead["Attributes"]) == ("a1", {"MessageGroupId": "a"})


@pytest.mark.fact("C.sqs.fifo.no-delay")
async def test_a_message_has_its_queues_delay_and_none_of_its_own(sqs: Sqs) -> None:
    with pytest.raises(ClientError, match="not valid for this queue type"):
        await sqs.send("x", LINE, MessageGroupId="a", DelaySeconds=2)
    ids = {"MessageGroupId": "a", "MessageDeduplicationId": "1"}
    await sqs.send("x", "plain.fifo", DelaySeconds=0, **ids)
    sqs.wait(9.999)
    assert await sqs.receive("plain.fifo") == []
    sqs.wait(0.001)
    assert await sqs.bodies("plain.fifo") == ["x"]


@pytest.mark.fact("C.sqs.fifo.deduplication", "C.sqs.fifo.sequence")
async def test_for_five_minutes_a_second_message_with_the_same_id_is_the_first(sqs: Sqs) -> None:
    first = await sqs.send("x", LINE, MessageGroupId="a", MessageDeduplicationId="1")
    (received,) = await sqs.receive(LINE)
    await sqs.call("delete_message", LINE, ReceiptHandle=received["ReceiptHandle"])
    sqs.wait(299.999)
    again = await sqs.send("y", LINE, MessageGroupId="b", MessageDeduplicationId="1")
    assert (again["MessageId"], again["SequenceNumber"]) == (
        first["MessageId"],
        first["SequenceNumber"],
    )
    assert again["MD5OfMessageBody"] != first["MD5OfMessageBody"]
    assert await sqs.receive(LINE) == []
    sqs.wait(0.001)
    third = await sqs.send("z", LINE, MessageGroupId="a", MessageDeduplicationId="1")
    assert third["MessageId"] != first["MessageId"]
    assert await sqs.bodies(LINE) == ["z"]


@pytest.mark.fact("C.sqs.fifo.deduplication.content")
async def test_the_body_is_the_id_where_the_queue_says_so_and_none_is_given(sqs: Sqs) -> None:
    await sqs.send("x", LINE, MessageGroupId="a")
    await sqs.send("x", LINE, MessageGroupId="a")
    digest = hashlib.sha256(b"x").hexdigest()
    await sqs.send("other", LINE, MessageGroupId="a", MessageDeduplicationId=digest)
    await sqs.send("x", LINE, MessageGroupId="a", MessageDeduplicationId="own")
    received = await sqs.receive(LINE, AttributeNames=["All"])
    told = [one["Attributes"]["MessageDeduplicationId"] for one in received]
    assert told == [digest, "own"]
    with pytest.raises(ClientError, match="ContentBasedDeduplication enabled or"):
        await sqs.send("x", "plain.fifo", MessageGroupId="a")


@pytest.mark.fact("C.sqs.fifo.deduplication.scope")
async def test_the_id_is_the_queues_or_the_groups(sqs: Sqs) -> None:
    for queue, copies in ((LINE, 1), ("groups.fifo", 2)):
        for group in ("a", "b", "a"):
            await sqs.send("x", queue, MessageGroupId=group, MessageDeduplicationId="1")
        assert len(await sqs.receive(queue)) == copies


@pytest.mark.fact("C.sqs.fifo.sequence")
async def test_sequence_numbers_grow_and_are_told_with_group_and_id(sqs: Sqs) -> None:
    told = [(await sqs.send(body, LINE, MessageGroupId="a"))["SequenceNumber"] for body in "xyz"]
    assert told == sorted(set(told))
    assert {len(one) for one in told} == {20}
    received = await sqs.receive(LINE, AttributeNames=["All"])
    assert [one["Attributes"]["SequenceNumber"] for one in received] == told
    assert {one["Attributes"]["MessageGroupId"] for one in received} == {"a"}


@pytest.mark.fact("C.sqs.fifo.expired-receipt")
async def test_whoever_held_a_message_too_long_cannot_delete_it(sqs: Sqs) -> None:
    await sqs.send("x", LINE, MessageGroupId="a")
    (message,) = await sqs.receive(LINE)
    sqs.wait(30)
    with pytest.raises(ClientError, match="The receipt handle has expired"):
        await sqs.call("delete_message", LINE, ReceiptHandle=message["ReceiptHandle"])
    assert await sqs.bodies(LINE) == ["x"]


@pytest.mark.fact("C.sqs.fifo.attempt")
async def test_a_repeated_attempt_gets_the_same_messages_hidden_anew(sqs: Sqs) -> None:
    for body in "xy":
        await sqs.send(body, LINE, MessageGroupId="a")
    first = await sqs.receive(LINE, ReceiveRequestAttemptId="1")
    sqs.wait(20)
    assert await sqs.receive(LINE, ReceiveRequestAttemptId="1") == first
    assert await sqs.receive(LINE, ReceiveRequestAttemptId="2") == []
    sqs.wait(20)
    assert receives(sqs.queue(LINE)) == [1, 1]
    await sqs.call("delete_message", LINE, ReceiptHandle=first[0]["ReceiptHandle"])
    assert await sqs.receive(LINE, ReceiveRequestAttemptId="1") == []


@pytest.mark.fact("C.sqs.fifo.group", "C.sqs.fifo.deduplication")
async def test_a_standard_queue_takes_a_group_but_no_deduplication_id(sqs: Sqs) -> None:
    await sqs.send("x", MessageGroupId="tenant")
    (message,) = await sqs.receive(AttributeNames=["All"])
    assert message["Attributes"]["MessageGroupId"] == "tenant"
    with pytest.raises(ClientError, match="not valid for this queue type"):
        await sqs.send("x", MessageDeduplicationId="1")


@pytest.mark.parametrize("name", ["MessageGroupId", "MessageDeduplicationId"])
async def test_ids_are_128_visible_characters_at_most(sqs: Sqs, name: str) -> None:
    ids = {"MessageGroupId": "a", "MessageDeduplicationId": "1"}
    await sqs.send("x", LINE, **{**ids, name: "!" * 128})
    for wrong in ("!" * 129, "a b", "é"):
        with pytest.raises(ClientError, match="1 to 128 in length"):
            await sqs.send("x", LINE, **{**ids, name: wrong})


def receives(queue: Queue) -> list[int]:
    return [one.receive_count for one in queue.messages.values()]
