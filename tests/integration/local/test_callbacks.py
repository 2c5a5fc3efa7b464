"""Facts A4, A5 and A7: `@connections` on real connections, and what keeps a connection alive."""

import json
import re

import aiohttp
import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from botocore.exceptions import ClientError

from infra.local.stack import Stack
from tests.integration.local.gates_at import address, client, management, note

MINUTE_MS = 60_000


def signed(
    stack: Stack, path: str, method: str = "GET", service: str = "execute-api"
) -> dict[str, str]:
    request = AWSRequest(method=method, url=f"{stack.url}/{path}", data=b"x")
    SigV4Auth(Credentials("local", "local"), service, stack.region).add_auth(request)
    return dict(request.headers)


@pytest.mark.fact("A4.post", "A4.get", "A4.delete")
async def test_post_and_get_answer_200_and_delete_204(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    statuses = {}
    async with client(http, address(gates, "desk")) as one:
        for method in ("POST", "GET", "DELETE"):
            path = f"desk/@connections/{one.id}"
            data, headers = b"x" if method == "POST" else None, signed(gates, path, method)
            async with http.request(
                method, f"{gates.url}/{path}", data=data, headers=headers
            ) as answer:
                statuses[method] = answer.status
        assert await one.hear_text() == "x"
        assert (await one.hear()).type is aiohttp.WSMsgType.CLOSE
    assert statuses == {"POST": 200, "GET": 200, "DELETE": 204}


@pytest.mark.fact("A4.get.camel-case", "A4.get.iso-times")
async def test_what_get_tells_is_in_camel_case_with_iso_times(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk"), headers={"User-Agent": "ua"}) as one:
        path = f"desk/@connections/{one.id}"
        async with http.get(f"{gates.url}/{path}", headers=signed(gates, path)) as answer:
            about = json.loads(await answer.text())
    assert set(about) == {"connectedAt", "lastActiveAt", "identity"}
    assert about["identity"] == {"sourceIp": "127.0.0.1", "userAgent": "ua"}
    for name in ("connectedAt", "lastActiveAt"):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", about[name])


@pytest.mark.fact("A4.forbidden", "A4.service-name")
async def test_what_is_not_signed_for_execute_api_is_forbidden(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        path = f"desk/@connections/{one.id}"
        kinds = {}
        for name, headers in (
            ("none", {}),
            ("bearer", {"Authorization": "Bearer token"}),
            ("lambda", signed(gates, path, service="lambda")),
        ):
            async with http.get(f"{gates.url}/{path}", headers=headers) as answer:
                assert answer.status == 403
                kinds[name] = answer.headers["x-amzn-ErrorType"]
    assert kinds == {
        "none": "MissingAuthenticationTokenException",
        "bearer": "IncompleteSignatureException",
        "lambda": "InvalidSignatureException",
    }


@pytest.mark.fact("A4.signature")
async def test_whose_secret_it_was_signed_with_does_not_matter(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        headers = signed(gates, f"desk/@connections/{one.id}")
        other = headers["Authorization"][:-4] + "beef"
        async with http.get(
            f"{gates.url}/desk/@connections/{one.id}", headers=headers | {"Authorization": other}
        ) as answer:
            assert answer.status == 200


@pytest.mark.fact("A4.other-stage", "A4.path")
async def test_another_stage_does_not_know_the_connection(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        for stage in ("busy", "default"):
            other = management(gates, stage)
            with pytest.raises(other.exceptions.GoneException):
                other.post_to_connection(ConnectionId=one.id, Data=b"x")
        management(gates, "desk").post_to_connection(ConnectionId=one.id, Data=b"here")
        assert await one.hear_text() == "here"


@pytest.mark.fact("A4.gone")
async def test_a_connection_that_has_ended_is_gone(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    sockets = management(gates, "desk")
    async with client(http, address(gates, "desk")) as one:
        sockets.delete_connection(ConnectionId=one.id)
        for call, more in (
            (sockets.post_to_connection, {"Data": b"x"}),
            (sockets.get_connection, {}),
            (sockets.delete_connection, {}),
        ):
            with pytest.raises(sockets.exceptions.GoneException):
                call(ConnectionId=one.id, **more)


@pytest.mark.fact("A4.bad-id")
@pytest.mark.parametrize("wrong", ["x", "A" * 16, "A" * 15, "A" * 16 + "=", "AAAAAAAAAAAAAA!="])
def test_an_id_of_the_wrong_form_is_no_id(gates: Stack, wrong: str) -> None:
    with pytest.raises(ClientError) as told:
        management(gates, "desk").get_connection(ConnectionId=wrong)
    assert told.value.response["Error"]["Code"] == "BadRequestException"
    assert told.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.fact("A4.delete.code")
async def test_delete_closes_with_1000_whatever_is_asked_for(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        path = f"desk/@connections/{one.id}"
        url = f"{gates.url}/{path}?code=4000&reason=enough"
        headers = signed(gates, path, "DELETE")
        async with http.delete(url, data="4000", headers=headers) as answer:
            assert answer.status == 204
        closed = await one.hear()
        assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, 1000)


@pytest.mark.fact("A4.not-utf8")
async def test_data_that_is_no_text_is_sent_as_text_all_the_same(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk")) as one:
        management(gates, "desk").post_to_connection(ConnectionId=one.id, Data=b"\xff\xfe")
        assert (await one.hear()).type is aiohttp.WSMsgType.ERROR
        assert one.socket.close_code == 1007
    await gates.settle_async()
    ended = note(gates, one.id, "gone")["event"]["requestContext"]
    assert ended["disconnectStatusCode"] == 1007


@pytest.mark.fact("A4.last-active")
async def test_messages_and_posts_move_last_active_and_nothing_else_does(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    sockets = management(gates, "desk")

    async def last_active_after(what: str) -> int:
        await gates.advance_async(MINUTE_MS)
        if what == "post":
            sockets.post_to_connection(ConnectionId=one.id, Data=b"x")
        elif what == "message":
            await one.send("{}")
        elif what == "ping":
            await one.socket.ping()
        await gates.settle_async()
        about = sockets.get_connection(ConnectionId=one.id)
        return int(about["LastActiveAt"].timestamp() * 1000) - start

    async with client(http, address(gates, "desk")) as one:
        start = gates.now()
        instants = [
            await last_active_after(what)
            for what in ("nothing", "message", "ping", "post", "nothing")
        ]
    assert instants == [0, 2 * MINUTE_MS, 2 * MINUTE_MS, 4 * MINUTE_MS, 4 * MINUTE_MS]


@pytest.mark.fact("A5.idle.both-directions")
@pytest.mark.parametrize("what", ["post", "message"])
async def test_a_message_in_either_direction_keeps_a_connection(
    gates: Stack, http: aiohttp.ClientSession, what: str
) -> None:
    async with client(http, address(gates, "desk")) as one:
        for _ in range(3):
            await gates.advance_async(9 * MINUTE_MS)
            if what == "post":
                management(gates, "desk").post_to_connection(ConnectionId=one.id, Data=b"x")
            else:
                await one.send("{}")
            await gates.settle_async()
        await gates.advance_async(9 * MINUTE_MS)
        assert one.id in {other["id"] for other in gates.connections()}


@pytest.mark.fact("A5.idle.ping", "A5.idle", "A3.disconnect.every-end")
async def test_pings_do_not_keep_a_connection(gates: Stack, http: aiohttp.ClientSession) -> None:
    async with client(http, address(gates, "desk")) as one:
        for _ in range(9):
            await gates.advance_async(MINUTE_MS)
            await one.socket.ping()
            await gates.settle_async()
        assert one.id in {other["id"] for other in gates.connections()}
        await gates.advance_async(MINUTE_MS)
        assert one.id not in {other["id"] for other in gates.connections()}
        closed = await one.hear()
        assert (closed.type, closed.data) == (aiohttp.WSMsgType.CLOSE, 1001)
    await gates.settle_async()
    assert note(gates, one.id, "gone")["event"]["requestContext"]["disconnectStatusCode"] == 1001


@pytest.mark.fact("A7.no-protocol-pings")
async def test_nothing_at_all_is_sent_to_a_client_to_whom_nothing_is_posted(
    gates: Stack, http: aiohttp.ClientSession
) -> None:
    async with client(http, address(gates, "desk"), autoping=False) as one:
        for _ in range(9):
            await gates.advance_async(MINUTE_MS)
        await gates.settle_async()
        assert one.heard.empty()


@pytest.mark.fact("A5.connections")
async def test_hundreds_of_connections_may_be_open_at_once(gates: Stack) -> None:
    before = len(gates.connections())
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as http:
        sockets = [await http.ws_connect(address(gates, "default")) for _ in range(400)]
        assert len(gates.connections()) == before + 400
        for socket in sockets:
            await socket.close()
