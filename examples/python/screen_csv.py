"""
Screens the first column of a CSV file, in jobs of 1,000 addresses, and writes one line of JSON for each address. Started again after a
stop, whatever stopped it, it goes on where it was: nothing is screened or written twice.

    python screen_csv.py addresses.csv results.ndjson
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

from cupel import BulkResult, Cupel

BATCH = 1_000


def main(source: Path, output: Path) -> None:
    content = source.read_bytes()
    file = hashlib.sha256(content).hexdigest()
    addresses = addresses_of(content.decode("utf-8-sig"))
    # Written after the results of each batch: how far they go. What stands behind that in the output is half a batch.
    progress_file = output.with_name(f"{output.name}.progress")
    progress: dict[str, Any] = {"file": file, "batches": 0, "bytes": 0}
    if progress_file.exists():
        progress = json.loads(progress_file.read_text())
    if progress["file"] != file:
        sys.exit(f"{progress_file} belongs to another input. Delete it to begin anew.")
    output.touch()
    os.truncate(output, progress["bytes"])
    with Cupel() as cupel:
        while (start := progress["batches"] * BATCH) < len(addresses):
            batch = addresses[start : start + BATCH]
            # The key names the batch: a second submission within a day gets the job of the first.
            results = screened(cupel, batch, key=f"{file[:32]}-{progress['batches']}")
            written = "".join(line_of(result) for result in results).encode()
            with output.open("ab") as lines:
                lines.write(written)
            progress = {"file": file, "batches": progress["batches"] + 1, "bytes": progress["bytes"] + len(written)}
            replace(progress_file, json.dumps(progress))
            print(f"{start + len(batch)} of {len(addresses)}", flush=True)


def addresses_of(text: str) -> list[str]:
    first = [row[0].strip() for row in csv.reader(text.splitlines()) if row]
    return [address for address in first if address not in ("", "address")]


def screened(cupel: Cupel, addresses: list[str], *, key: str) -> list[BulkResult]:
    job = cupel.bulk.wait(cupel.bulk.submit(addresses, idempotency_key=key))
    return list(job.results or cupel.bulk.results(job.job_id, page_size=200))


def line_of(result: BulkResult) -> str:
    line: dict[str, object] = {"address": result.address, "status": result.status}
    if result.report is not None:
        risk = result.report.risk
        line |= {"level": risk.level, "score": risk.score, "report_id": result.report.report_id}
    if result.error is not None:
        line["error"] = result.error.code
    return f"{json.dumps(line)}\n"


def replace(path: Path, text: str) -> None:
    """A reader sees the old file or the new one, also after a stop in between."""
    half = path.with_name(f"{path.name}.half")
    half.write_text(text)
    half.replace(path)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python screen_csv.py addresses.csv results.ndjson")
    main(Path(sys.argv[1]), Path(sys.argv[2]))
