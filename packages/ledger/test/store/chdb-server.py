"""ClickHouse's HTTP interface in front of chDB, which is ClickHouse in a process: what its official client needs.

Prints the port. Ends with its standard input.
"""

import os
import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from chdb import session

LOCK = threading.Lock()
FOLDER = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="chdb-")
SESSION = session.Session(FOLDER)
# What the session has: a statement sets what it needs otherwise.
NOW = {}
OTHER_PARAMETERS = {"query", "query_id", "database", "default_format", "session_id", "role", "wait_end_of_query"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def do_GET(self):
        self.answer(200, b"Ok.\n")

    def do_POST(self):
        parameters = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self.body()
        query = parameters.get("query", "").encode()
        statement = (query + b"\n" + body if query else body).decode()
        settings = {
            name: value
            for name, value in parameters.items()
            if name not in OTHER_PARAMETERS and not name.startswith("param_")
        }
        texts = {name[6:]: value for name, value in parameters.items() if name.startswith("param_")}
        form = parameters.get("default_format", "TabSeparated")
        with LOCK:
            try:
                self.prepare(parameters.get("database", "default"), settings)
                found = SESSION.query(statement, form, params=texts or None)
                data = bytes(found.bytes() or b"")
            except Exception as error:  # noqa: BLE001
                text = str(error)
                code = re.search(r"Code: (\d+)", text)
                return self.answer(500, text.encode(), {"X-ClickHouse-Exception-Code": code.group(1) if code else "1"})
        self.answer(200, data)

    def prepare(self, database, settings):
        if NOW.get("database") != database:
            SESSION.query(f"CREATE DATABASE IF NOT EXISTS {database}")
            SESSION.query(f"USE {database}")
        for name, value in settings.items():
            if NOW.get(name) != value:
                SESSION.query(f"SET {name} = '{value}'")
        NOW.update(settings, database=database)

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        parts = []
        while True:
            size = int(self.rfile.readline().split(b";")[0], 16)
            parts.append(self.rfile.read(size))
            self.rfile.readline()
            if size == 0:
                return b"".join(parts)

    def answer(self, status, data, headers=None):
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Type", "text/plain; charset=UTF-8")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address):
        # A test kills its clients.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


SERVER = Server(("127.0.0.1", 0), Handler)
print(SERVER.server_address[1], flush=True)
threading.Thread(target=SERVER.serve_forever, daemon=True).start()
sys.stdin.read()
os._exit(0)
