"""Prints the names of a client as JSON, for the comparison with the TypeScript SDK."""

from __future__ import annotations

import json
import sys

import cupel

kind = sys.argv[1]
client = getattr(cupel, kind)(api_key="cpl_test_surface", base_url="http://localhost")
CLOSING = {"close", "aclose"}


def methods_of(one: object) -> list[str]:
    return sorted(name for name in vars(type(one)) if not name.startswith("_") and callable(getattr(one, name)))


resources = {name: one for name, one in vars(client).items() if not name.startswith("_")}
items = client.chains.list()
print(
    json.dumps(
        {
            "methods": {
                "": [name for name in methods_of(client) if name not in CLOSING],
                **{name: methods_of(one) for name, one in resources.items()},
            },
            "errors": sorted(name for name in cupel.__all__ if name.endswith("Error") and issubclass(getattr(cupel, name), Exception)),
            "list": methods_of(items),
            "webhooks": sorted(name for name in cupel.webhooks.__all__ if name.islower()),
        }
    )
)
