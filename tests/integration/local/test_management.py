"""Facts A4: `@connections` through a real AWS client."""

import json
from urllib.parse import quote

import aiohttp
import pytest
from botocore.exceptions import ClientError

from infra.local.stack import Stack
from tests.integration.local.conftest import AwsClient

UNKNOWN = "AAAAAAAAAAAAAAA="
SIGNATURE = (
    "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/execute-api/aws4_request, Signature=0"
)


@pytest.mark.fact("A4.post", "A4.get", "A4.get.camel-case")
async def test_a4_a_post_is_heard_and_get_tells_of_the_connection_in_camel_case(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    management = aws("apigatewaymanagementapi")
    headers = {"User-Agent": "test/1"}
    async with http.ws_connect(f"{stack.websocket_url}?name=ann", headers=headers) as socket:
        connection_id = socket._response.headers["X-Local-Connection-Id"]
        management.post_to_connection(ConnectionId=connection_id, Data="grüß dich".encode())
        assert await socket.receive_str(timeout=5) == "grüß dich"
        about = management.get_connection(ConnectionId=connection_id)
    assert about["Identity"] == {"SourceIp": "127.0.0.1", "UserAgent": "test/1"}
    assert int(about["ConnectedAt"].timestamp() * 1000) == stack.now()
    assert about["LastActiveAt"] >= about["ConnectedAt"]


@pytest.mark.fact("A4.gone")
def test_a4_a_connection_that_is_gone_raises_gone_exception(aws: AwsClient) -> None:
    management = aws("apigatewaymanagementapi")
    for call, more in (
        (management.post_to_connection, {"Data": b"x"}),
        (management.get_connection, {}),
        (management.delete_connection, {}),
    ):
        with pytest.raises(management.exceptions.GoneException) as refused:
            call(ConnectionId=UNKNOWN, **more)
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 410


@pytest.mark.fact("A4.bad-id")
def test_a4_an_id_of_the_wrong_form_is_a_bad_request(aws: AwsClient) -> None:
    management = aws("apigatewaymanagementapi")
    with pytest.raises(ClientError) as refused:
        management.post_to_connection(ConnectionId="not-an-id", Data=b"x")
    assert refused.value.response["Error"]["Code"] == "BadRequestException"


@pytest.mark.fact("A4.too-large", "A4.boto3.no-size-check")
async def test_a4_a_post_of_more_than_128_kb_is_too_large(
    stack: Stack, http: aiohttp.ClientSession, aws: AwsClient
) -> None:
    management = aws("apigatewaymanagementapi")
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        connection_id = socket._response.headers["X-Local-Connection-Id"]
        management.post_to_connection(ConnectionId=connection_id, Data=b"x" * 131_072)
        assert len(await socket.receive_str(timeout=5)) == 131_072
        with pytest.raises(management.exceptions.PayloadTooLargeException):
            management.post_to_connection(ConnectionId=connection_id, Data=b"x" * 131_073)


@pytest.mark.fact("A4.path")
async def test_a4_at_and_equals_may_be_written_as_percent_codes(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    async with http.ws_connect(f"{stack.websocket_url}?name=ann") as socket:
        connection_id = socket._response.headers["X-Local-Connection-Id"]
        path = f"%40connections/{quote(connection_id)}"
        signed = {"Authorization": SIGNATURE}
        address = f"{stack.management_endpoint}/{path}"
        async with http.post(address, data="hi", headers=signed) as answer:
            assert answer.status == 200
        assert await socket.receive_str(timeout=5) == "hi"


async def test_a4_an_unsigned_request_is_forbidden(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    address = f"{stack.management_endpoint}/@connections/{UNKNOWN}"
    async with http.post(address, data="hi") as answer:
        assert answer.status == 403
        assert answer.headers["x-amzn-ErrorType"] == "MissingAuthenticationTokenException"


@pytest.mark.fact("A4.buffer-full")
async def test_a4_a_client_that_does_not_read_is_told_as_limit_exceeded(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    signed = {"Authorization": SIGNATURE}
    socket = await http.ws_connect(f"{stack.websocket_url}?name=ann", max_msg_size=0)
    socket._conn.transport.pause_reading()  # type: ignore[union-attr]
    connection_id = socket._response.headers["X-Local-Connection-Id"]
    address = f"{stack.management_endpoint}/@connections/{connection_id}"
    statuses = set()
    for _ in range(200):
        async with http.post(address, data=b"x" * 131_072, headers=signed) as answer:
            statuses.add((answer.status, answer.headers.get("x-amzn-ErrorType")))
            if answer.status == 429:
                break
    assert statuses == {(200, None), (429, "LimitExceededException")}
    await stack.cut_async(connection_id, "gone")


async def test_what_is_for_this_machine_is_refused_under_a_foreign_name(
    stack: Stack, http: aiohttp.ClientSession
) -> None:
    foreign = {"Host": "evil.example", "Authorization": "AWS4-HMAC-SHA256"}
    for path in ("_local/metrics", f"live/@connections/{UNKNOWN}", "_sqs"):
        async with http.post(f"{stack.url}/{path}", headers=foreign) as answer:
            assert answer.status == 403, path
            assert json.loads(await answer.text()) == {"message": "Forbidden"}
