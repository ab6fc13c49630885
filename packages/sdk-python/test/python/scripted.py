"""Answers of the scripted server for the jobs of a large file."""

from __future__ import annotations

from typing import Any

BATCH = 1_000


def addresses(count: int) -> list[str]:
    return [f"0xc0be1{index + 16:035x}" for index in range(count)]


def batch_answers(index: int, batch: list[str]) -> list[dict[str, Any]]:
    """A job that is submitted and has ended at the first look."""
    job_id = f"job_{index}"
    results = [
        {
            "number": place + 1,
            "address": address,
            "status": "completed",
            "report": {"report_id": f"{index:08x}{place:08x}", "address": address, "risk": {"level": "green", "score": 0}},
        }
        for place, address in enumerate(batch)
    ]
    ended = {"job_id": job_id, "status": "completed", "total": len(batch), "results": results}
    return [
        {"status": 202, "json": {"use": "job", "with": {"job_id": job_id, "total": len(batch)}}},
        {"status": 200, "json": {"use": "ended_job", "with": {**ended, "completed": len(batch)}}},
    ]
