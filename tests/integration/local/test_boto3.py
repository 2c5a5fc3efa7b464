"""Facts A4: what boto3 makes of the answers of `@connections`, from a server that gives them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError

from infra.local.websocket.connections import refusal

ID = "AAAAAAAAAAAAAAA="


@dataclass
class Server:
    """Gives one answer to everything, and remembers what was asked."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""

    def refuse(self, status: int, kind: str | None) -> None:
        made = refusal(status, kind or "", "no")
        self.status, self.body = made.status, made.body if isinstance(made.body, bytes) else b""
        self.headers = {"x-amzn-ErrorType": made.headers["x-amzn-ErrorType"]} if kind else {}


@pytest.fixture
def server() -> Iterator[Server]:
    told = Server()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            told.asked.append((self.path, dict(self.headers)))
            self.send_response(told.status)
            for name, value in told.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(told.body)))
            self.end_headers()
            self.wfile.write(told.body)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815 - names that are looked for

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        told.url = f"http://127.0.0.1:{listening.server_address[1]}/live"
        thread = Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield told
        listening.shutdown()


def sockets(**more: Any) -> Any:  # noqa: ANN401 - clients are made at run time
    make: Any = boto3.client
    return make(
        "apigatewaymanagementapi",
        region_name="us-east-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
        **more,
    )


@pytest.mark.fact("A4.boto3.error-header")
def test_boto3_knows_an_error_by_its_header_alone(server: Server) -> None:
    client = sockets(endpoint_url=server.url)
    for status, kind in (
        (410, "GoneException"),
        (413, "PayloadTooLargeException"),
        (403, "ForbiddenException"),
    ):
        server.refuse(status, kind)
        with pytest.raises(getattr(client.exceptions, kind)):
            client.post_to_connection(ConnectionId=ID, Data=b"x")
        server.refuse(status, None)
        with pytest.raises(ClientError) as bare:
            client.post_to_connection(ConnectionId=ID, Data=b"x")
        assert bare.value.response["Error"]["Code"] == str(status)


@pytest.mark.fact("A4.boto3.retries-429")
def test_boto3_asks_five_times_before_it_tells_of_a_429(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("botocore.endpoint.time.sleep", lambda _: None)
    client = sockets(endpoint_url=server.url)
    server.refuse(429, "LimitExceededException")
    with pytest.raises(client.exceptions.LimitExceededException):
        client.post_to_connection(ConnectionId=ID, Data=b"x")
    assert len(server.asked) == 5


@pytest.mark.fact("A4.boto3.no-other-retries")
@pytest.mark.parametrize(
    ("status", "kind"), [(410, "GoneException"), (413, "PayloadTooLargeException")]
)
def test_boto3_does_not_ask_again_for_what_will_not_change(
    server: Server, status: int, kind: str
) -> None:
    server.refuse(status, kind)
    with pytest.raises(ClientError):
        sockets(endpoint_url=server.url).post_to_connection(ConnectionId=ID, Data=b"x")
    assert len(server.asked) == 1


@pytest.mark.fact("A4.boto3.encodes-equals", "A4.boto3.no-size-check", "A4.service-name")
def test_boto3_writes_an_id_with_percent_codes_and_sends_whatever_size(server: Server) -> None:
    sockets(endpoint_url=server.url).post_to_connection(ConnectionId=ID, Data=b"x" * 131_073)
    ((path, headers),) = server.asked
    assert path == "/live/@connections/AAAAAAAAAAAAAAA%3D"
    assert "Content-Type" not in headers
    assert "/execute-api/aws4_request" in headers["Authorization"]


@pytest.mark.fact("A4.boto3.capitals", "A4.get.camel-case")
def test_boto3_reads_camel_case_only(server: Server) -> None:
    client = sockets(endpoint_url=server.url)
    about = {"connectedAt": "2026-01-01T00:00:00.000Z", "identity": {"sourceIp": "::1"}}
    server.body = json.dumps(about).encode()
    assert client.get_connection(ConnectionId=ID)["Identity"] == {"SourceIp": "::1"}
    server.body = json.dumps({"ConnectedAt": about["connectedAt"], "Identity": {}}).encode()
    assert set(client.get_connection(ConnectionId=ID)) == {"ResponseMetadata"}


@pytest.mark.fact("A4.boto3.endpoint")
def test_boto3_is_led_by_its_environment_path_included(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI", server.url)
    sockets().delete_connection(ConnectionId=ID)
    assert [path for path, _ in server.asked] == ["/live/@connections/AAAAAAAAAAAAAAA%3D"]
