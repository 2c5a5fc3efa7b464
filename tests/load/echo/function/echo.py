"""What a connection says is posted to it again."""

from typing import Any

import botocore.session

api: Any = botocore.session.get_session().create_client("apigatewaymanagementapi")


def handler(event: dict[str, Any], _context: object) -> dict[str, int]:
    """One post per message; whoever wants to connect may."""
    connection_id = event["requestContext"]["connectionId"]
    if event["requestContext"]["eventType"] == "MESSAGE":
        api.post_to_connection(ConnectionId=connection_id, Data=event["body"].encode())
    return {"statusCode": 200}
