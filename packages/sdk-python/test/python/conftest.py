from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from conformance import FOLDER, Server  # noqa: E402


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with subprocess.Popen(["node", str(FOLDER / "server.mjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        urls = json.loads(child.stdout.readline())
        scripted = Server(urls["url"], urls["refused_url"])
        yield scripted
        scripted.close()
        child.stdin.close()
        child.wait()
