"""A client with one version of a contract, for the tests in Reloaded.Messaging.Generators.Tests/Evolution: exchanges values with C# servers that have another version.

Reads commands as JSON, one a line: the schema of the client, the port of the server, what to do, and the payload of the value to send. Writes one line for each.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from reloaded_messaging import Client, ContractMismatch, Fault, HandshakeError, PayloadError, Schema, tcp


def run(command: dict[str, Any]) -> dict[str, str]:
    schema = Schema(command["schema"])
    try:
        with Client(tcp(command["port"]), schema, timeout=30.0) as client:
            if command["do"] == "announce":
                client.on_request("M", "Shown", lambda value: {"Text": ""})
            client.connect()
            if command["do"] == "send":
                return {"text": client.request("M", schema.decode("M", bytes.fromhex(command["payload"])))["Text"]}
            if command["do"] == "ask":
                return {"payload": schema.encode("M", client.request("Question")).hex()}
            return {"text": "connected"}
    except (ContractMismatch, Fault, HandshakeError, PayloadError) as error:
        return {"error": type(error).__name__, "text": str(error)}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
