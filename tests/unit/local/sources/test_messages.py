"""Messages through a real AWS client: what they may hold, and how it comes out again."""

import base64
import hashlib
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.unit.local.sources.conftest import START, Sqs

TEXT = {"DataType": "String", "StringValue": "bell"}


@pytest.mark.fact("C.sqs.message.digests", "C.sqs.system-attributes", "C.sqs.attributes.received")
async def test_a_sent_message_is_confirmed_with_its_digests_and_received_as_it_was(
    sqs: Sqs,
) -> None:
    attributes = {
        "kind": TEXT,
        "loud": {"DataType": "Number.decibel", "StringValue": "80.5"},
        "tone": {"DataType": "Binary", "BinaryValue": b"\x00\xff"},
    }
    sent = await sqs.send("grüß dich", MessageAttributes=attributes)
    assert sent["MD5OfMessageBody"] == hashlib.md5("grüß dich".encode()).hexdigest()  # noqa: S324 - SQS's own
    (message,) = await sqs.receive(AttributeNames=["All"], MessageAttributeNames=["All"])
    assert message["MessageId"] == sent["MessageId"]
    assert message["Body"] == "grüß dich"
    assert message["MD5OfMessageAttributes"] == sent["MD5OfMessageAttributes"]
    assert message["MessageAttributes"] == attributes
    assert message["Attributes"] == {
        "ApproximateReceiveCount": "1",
        "SentTimestamp": str(START),
        "SenderId": "000000000000",
        "ApproximateFirstReceiveTimestamp": str(START),
    }


@pytest.mark.fact("C.sqs.message.digests")
async def test_the_digest_of_binary_attributes_is_the_one_that_aws_told(sqs: Sqs) -> None:
    """The value and its digest are from a recording of AWS."""
    value = b"traceparent\x1e00-774062d6c37081a5a0b9b5b88e30627c-2d2482211f6489da-01"
    attributes = {"attr1": {"DataType": "Binary", "BinaryValue": value}}
    sent = await sqs.send("test", MessageAttributes=attributes)
    assert sent["MD5OfMessageAttributes"] == "8cbe4db156db8a94db8b801b7addb984"


@pytest.mark.fact("C.sqs.attributes.received")
@pytest.mark.parametrize(
    ("asked", "digest", "received"),
    [
        ([], None, set()),
        (["All"], "4c360f3fdafd970e05fae2f149d997f5", {"General", "Hello", "Help.Me"}),
        ([".*"], "4c360f3fdafd970e05fae2f149d997f5", {"General", "Hello", "Help.Me"}),
        (["Hello", "Foo"], "a311262e065454b75da111d535b8dacd", {"Hello"}),
        (["Hel.*"], "83fee93c1bcd8b9a5a923ffacdc636c7", {"Hello", "Help.Me"}),
        (["Foo"], None, set()),
    ],
)
async def test_attributes_come_as_asked_for_with_the_digest_that_aws_told(
    sqs: Sqs, asked: list[str], digest: str | None, received: set[str]
) -> None:
    """Values and digests are from a recording of AWS."""
    values = {"Help.Me": "Me", "Hello": "There", "General": "Kenobi"}
    attributes = {k: {"DataType": "String", "StringValue": v} for k, v in values.items()}
    await sqs.send("msg", MessageAttributes=attributes)
    (message,) = await sqs.receive(MessageAttributeNames=asked)
    assert message.get("MD5OfMessageAttributes") == digest
    assert set(message.get("MessageAttributes", {})) == received


@pytest.mark.fact("C.sqs.system-attributes")
async def test_system_attributes_come_as_asked_for_and_unknown_ones_are_refused(sqs: Sqs) -> None:
    await sqs.send("x")
    (message,) = await sqs.receive(MessageSystemAttributeNames=["SentTimestamp"])
    assert message["Attributes"] == {"SentTimestamp": str(START)}
    sqs.wait(30)
    (message,) = await sqs.receive(AttributeNames=["ApproximateReceiveCount"])
    assert message["Attributes"] == {"ApproximateReceiveCount": "2"}
    with pytest.raises(sqs.client.exceptions.InvalidAttributeName):
        await sqs.receive(AttributeNames=["Colour"])


@pytest.mark.fact("C.sqs.trace-header")
async def test_a_trace_header_is_told_where_the_sender_gave_one(sqs: Sqs) -> None:
    root = "Root=1-6731ebfc-08e1e656421db73c5d2eef31"
    header = {"AWSTraceHeader": {"DataType": "String", "StringValue": root}}
    sent = await sqs.send("given", "dead", MessageSystemAttributes=header)
    assert len(sent["MD5OfMessageSystemAttributes"]) == 32

    def carry(request: Any, **_: Any) -> None:  # noqa: ANN401 - botocore's own
        request.headers["X-Amzn-Trace-Id"] = "t"

    sqs.client.meta.events.register("before-send.sqs", carry)
    await sqs.send("carried", "dead")
    told = {
        one["Body"]: one["Attributes"]["AWSTraceHeader"]
        for one in await sqs.receive("dead", AttributeNames=["All"])
    }
    assert told == {"given": root, "carried": "t"}


@pytest.mark.fact("C.sqs.message.size")
async def test_a_message_has_a_mebibyte_or_as_its_queue_says_attributes_included(
    sqs: Sqs,
) -> None:
    await sqs.send("x" * 1_048_576)
    with pytest.raises(ClientError, match="Message must be shorter than 1048576 bytes"):
        await sqs.send("x" * 1_048_577)
    attributes = {"kind": TEXT}  # 4 + 6 + 4 bytes
    await sqs.send("x" * 1010, "slow", MessageAttributes=attributes)
    with pytest.raises(ClientError, match="Message must be shorter than 1024 bytes"):
        await sqs.send("x" * 1011, "slow", MessageAttributes=attributes)


@pytest.mark.fact("C.sqs.message.characters")
@pytest.mark.parametrize("character", ["\x00", "\x08", "\x0b", "\x1f", "\ufffe"])
async def test_characters_that_no_text_has_are_refused(sqs: Sqs, character: str) -> None:
    with pytest.raises(sqs.client.exceptions.InvalidMessageContents):
        await sqs.send(f"a{character}b")


@pytest.mark.fact("C.sqs.message.characters")
async def test_all_other_characters_arrive(sqs: Sqs) -> None:
    body = "\t\n\r ~\x7f\u2028\ud7ff\ue000\ufffd\U00010000\U0010ffff"
    await sqs.send(body)
    assert await sqs.bodies() == [body]


@pytest.mark.fact("C.sqs.message.empty")
async def test_a_message_without_a_body_is_refused(sqs: Sqs) -> None:
    with pytest.raises(ClientError) as refused:
        await sqs.send("")
    assert refused.value.response["Error"]["Code"] == "MissingParameter"


@pytest.mark.fact("C.sqs.attributes.shape")
@pytest.mark.parametrize(
    ("name", "attribute"),
    [
        ("a b", TEXT),
        (".a", TEXT),
        ("a..b", TEXT),
        ("a.", TEXT),
        ("x" * 257, TEXT),
        ("AWS.kind", TEXT),
        ("amazon.kind", TEXT),
        ("kind", {"StringValue": "x"}),
        ("kind", {"DataType": "Text", "StringValue": "x"}),
        ("kind", {"DataType": "Stringy", "StringValue": "x"}),
        ("kind", {"DataType": "String", "StringValue": ""}),
        ("kind", {"DataType": "String", "StringValue": "\x00"}),
        ("kind", {"DataType": "Number", "StringValue": "many"}),
        ("kind", {"DataType": "Binary", "BinaryValue": b""}),
    ],
)
async def test_an_attribute_out_of_shape_is_refused(
    sqs: Sqs, name: str, attribute: dict[str, Any]
) -> None:
    with pytest.raises(ClientError) as refused:
        await sqs.send("x", MessageAttributes={name: attribute})
    assert refused.value.response["Error"]["Code"] in {
        "InvalidParameterValue",
        "InvalidMessageContents",
    }


@pytest.mark.fact("C.sqs.attributes.shape")
async def test_a_message_has_at_most_ten_attributes(sqs: Sqs) -> None:
    await sqs.send("x", MessageAttributes={f"a{n}": TEXT for n in range(10)})
    with pytest.raises(ClientError, match="exceeds the allowed maximum"):
        await sqs.send("x", MessageAttributes={f"a{n}": TEXT for n in range(11)})


async def test_a_binary_attribute_travels_as_base64(sqs: Sqs) -> None:
    """In the event of a function it is the text of the request."""
    attributes = {"tone": {"DataType": "Binary", "BinaryValue": b"\x00\xff"}}
    await sqs.send("x", MessageAttributes=attributes)
    (held,) = sqs.queue().messages.values()
    assert held.attributes["tone"]["BinaryValue"] == base64.b64encode(b"\x00\xff").decode()
