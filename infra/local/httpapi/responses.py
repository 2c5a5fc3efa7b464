"""Puts an answer on the wire: the id of the request, one header for each cookie, no body at 204."""

from typing import Final

from aiohttp import web
from multidict import CIMultiDict

from infra.local.httpapi.answers import Answer

EMPTY: Final = frozenset({204, 304})


def response(answer: Answer, request_id: str) -> web.Response:
    """Return the answer as aiohttp sends it; cookies of the list come before one in a header."""
    headers: CIMultiDict[str] = CIMultiDict({"Apigw-Requestid": request_id})
    for cookie in answer.cookies:
        headers.add("Set-Cookie", cookie)
    for name, value in answer.headers.items():
        headers.add(name, value)
    if answer.status in EMPTY:
        headers.popall("Content-Type", None)
        return web.Response(status=answer.status, headers=headers)
    return web.Response(status=answer.status, headers=headers, body=answer.body)
