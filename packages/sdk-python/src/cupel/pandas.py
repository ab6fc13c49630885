"""A column of addresses in, a DataFrame of levels out. Needs pandas: `pip install cupel[pandas]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from . import Cupel
from .models import BulkJob, BulkResult

COLUMNS = ("address", "status", "level", "score", "report_id", "error")
_MOST_ADDRESSES = 1_000
_PAGE_SIZE = 200


def screen_column(
    cupel: Cupel,
    addresses: pd.Series[Any],
    *,
    chain: str | None = None,
    on_progress: Callable[[BulkJob], object] | None = None,
) -> pd.DataFrame:
    """
    Screens the addresses in bulk jobs of 1,000, and returns a row for each, with the same index. Equal addresses are screened once.

    `status` is `completed`, `failed`, `cancelled`, or `missing` where the column has no text. `level` and `score` are missing
    unless the status is `completed`: an address without a level has not been judged, and is not green. `error` is the code of
    what was wrong with an address. `on_progress` is called with each job as it was looked at.
    """
    texts = [one for one in dict.fromkeys(addresses.tolist()) if isinstance(one, str)]
    rows: dict[str, Mapping[str, object]] = {}
    for start in range(0, len(texts), _MOST_ADDRESSES):
        for result in _results(cupel, texts[start : start + _MOST_ADDRESSES], chain, on_progress):
            rows[result.address] = _row(result)
    return pd.DataFrame([_of(one, rows) for one in addresses], index=addresses.index, columns=list(COLUMNS))


def _results(
    cupel: Cupel, addresses: Sequence[str], chain: str | None, on_progress: Callable[[BulkJob], object] | None
) -> Sequence[BulkResult]:
    job = cupel.bulk.wait(cupel.bulk.submit(addresses, chain=chain), on_progress=on_progress)
    return cupel.bulk.results(job.job_id, page_size=_PAGE_SIZE).to_list() if job.results is None else job.results


def _row(result: BulkResult) -> Mapping[str, object]:
    is_judged = result.status == "completed" and result.report is not None
    report = result.report if is_judged else None
    return {
        "address": result.address,
        "status": result.status,
        "level": None if report is None else report.risk.level,
        "score": None if report is None else report.risk.score,
        "report_id": None if report is None else report.report_id,
        "error": None if result.error is None else result.error.code,
    }


def _of(address: object, rows: Mapping[str, Mapping[str, object]]) -> Mapping[str, object]:
    found = rows.get(address) if isinstance(address, str) else None
    if found is not None:
        return found
    # A text that no result names has no answer, which is not a missing address.
    return {"address": address, "status": "failed" if isinstance(address, str) else "missing"}
