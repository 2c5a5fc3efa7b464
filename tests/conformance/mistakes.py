"""What other local emulators of API Gateway are documented to get wrong, as mistakes in ours."""

from typing import Final

from tests.support.mutants import Mistake

WEBSOCKET: Final = "infra/local/websocket"

MISTAKES: Final[dict[Mistake, tuple[str, ...]]] = {
    Mistake(
        "the body of the function is always echoed",
        f"{WEBSOCKET}/gateway.py",
        "elif route.answers_sender and answer.body is not None:",
        "elif answer.body is not None:",
    ): ("A2.one-way",),
    Mistake(
        "the text of the error is leaked",
        f"{WEBSOCKET}/integration.py",
        "return INTEGRATION_TIMEOUT if timed_out else INTERNAL_ERROR",
        "return INTEGRATION_TIMEOUT if timed_out else str(error and error.message)",
    ): ("A2.failure.raises", "A2.failure.no-details"),
    Mistake(
        "no frame when no route matches",
        f"{WEBSOCKET}/gateway.py",
        "session.send_text(error_frame(FORBIDDEN, facts, stamp))",
        "pass",
    ): ("A2.no-route.frame",),
    Mistake(
        "every refusal of the door is 403",
        f"{WEBSOCKET}/handshake.py",
        "status=refused.status, headers=",
        "status=403, headers=",
    ): ("A3.status.unauthorized", "A3.status.crash", "A3.status.authorizer-fails"),
    Mistake(
        "every refusal of the function of $connect is 403",
        f"{WEBSOCKET}/handshake.py",
        "web.Response(status=answer.status,",
        "web.Response(status=403,",
    ): ("A3.status.own",),
    Mistake(
        "the extended request id is made anew",
        f"{WEBSOCKET}/events.py",
        '"extendedRequestId": stamp.request_id,',
        '"extendedRequestId": stamp.request_id[::-1],',
    ): ("A1.context.request-ids",),
    Mistake(
        "the instant of connecting is taken anew for each event",
        f"{WEBSOCKET}/events.py",
        '"connectedAt": facts.connected_at,',
        '"connectedAt": stamp.at,',
    ): ("A1.context.connected-at",),
    Mistake(
        "a bare 410",
        f"{WEBSOCKET}/connections.py",
        'headers={"x-amzn-ErrorType": kind},',
        "headers={},",
    ): ("A4.gone",),
    Mistake(
        "no limit for a frame",
        f"{WEBSOCKET}/frames.py",
        "if length > FRAME_LIMIT or (",
        "if (",
    ): ("A5.frame",),
    Mistake(
        "no limit for a message",
        f"{WEBSOCKET}/frames.py",
        "MESSAGE_LIMIT: Final = 128 * 1024",
        "MESSAGE_LIMIT: Final = 128 * 1024 * 1024",
    ): ("A5.message",),
    Mistake(
        "no limit for a post",
        f"{WEBSOCKET}/connections.py",
        "MOST_POSTED_BYTES: Final = 128 * 1024",
        "MOST_POSTED_BYTES: Final = 128 * 1024 * 1024",
    ): ("A4.too-large",),
    Mistake(
        "the authorizer is silently not run",
        f"{WEBSOCKET}/handshake.py",
        "if route.authorizer is not None:",
        "if route.authorizer is None:",
    ): ("A3.status.denied", "A1.context.authorizer"),
    Mistake(
        "no $disconnect after ten idle minutes",
        f"{WEBSOCKET}/gateway.py",
        "session.close(*why)",
        "session.vanish()",
    ): ("A5.idle", "A3.disconnect.every-end"),
    Mistake(
        "what the authorizer said is only on $connect",
        f"{WEBSOCKET}/events.py",
        "if facts.authorizer is not None:",
        "if facts.authorizer is not None and route_key == CONNECT:",
    ): ("A1.context.authorizer",),
    Mistake(
        "the authorizer's context keeps its types",
        f"{WEBSOCKET}/authorizer.py",
        "return {str(key): text(value) for key, value in context.items()}",
        "return dict(context)",
    ): ("A3.authorizer.text-context",),
    Mistake(
        "headers are put in lower case",
        f"{WEBSOCKET}/events.py",
        "ordered = sorted(headers, key=lambda pair: pair[0].lower())",
        "ordered = sorted((name.lower(), value) for name, value in headers)",
    ): ("A1.connect.header-case",),
    Mistake(
        "what is absent is null",
        f"{WEBSOCKET}/events.py",
        "    if handshake.query:\n",
        '    event["queryStringParameters"] = None\n    if handshake.query:\n',
    ): ("A1.connect.no-query", "A1.all.no-nulls"),
    Mistake(
        "the first sub-protocol offered is answered by the gateway itself",
        f"{WEBSOCKET}/gateway.py",
        'admitted.answer.headers.get("sec-websocket-protocol")',
        'request.headers.get("Sec-WebSocket-Protocol", "").split(",")[0] or None',
    ): ("A3.sub-protocol.none",),
    Mistake(
        "GET @connections answers in capitals",
        f"{WEBSOCKET}/connections.py",
        '"lastActiveAt": _iso(session.last_active_at),',
        '"LastActiveAt": _iso(session.last_active_at),',
    ): ("A4.get.camel-case",),
    Mistake(
        "GET @connections answers in milliseconds",
        f"{WEBSOCKET}/connections.py",
        '"connectedAt": _iso(session.facts.connected_at),',
        '"connectedAt": session.facts.connected_at,',
    ): ("A4.get.iso-times",),
}
"""Each mistake, and facts that must see it."""
