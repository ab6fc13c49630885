"""
An exchange decides what becomes of a deposit. Only a level that is known to be good is credited by itself; everything else waits for a
person, a missing answer too.

    python deposit_check.py ADDRESS [CHAIN]
"""

from __future__ import annotations

import json
import sys
import uuid
from dataclasses import asdict, dataclass
from typing import Literal

from cupel import ApiError, Cupel, CupelError


@dataclass(frozen=True)
class Decision:
    decision: Literal["credit", "hold", "reject"]
    reason: str
    report_id: str | None


def check_deposit(cupel: Cupel, deposit_id: str, sender: str, chain: str | None = None) -> Decision:
    try:
        # One key for each deposit: whoever asks again, also after a crash, gets the same report.
        report = cupel.screen(
            sender, chain=chain, customer_reference=deposit_id, idempotency_key=f"deposit-{deposit_id}"
        )
    except CupelError as error:
        # Nothing is known: a person looks at it. The report may come later, under the id that the error names.
        return Decision("hold", str(error), error.report_id if isinstance(error, ApiError) else None)
    risk = report.risk
    named = [evidence.entity for evidence in risk.evidence if evidence.decisive and evidence.entity]
    reason = named[0] if named else risk.level
    if risk.level == "green" and not risk.score_is_lower_bound:
        return Decision("credit", reason, report.report_id)
    return Decision("reject" if risk.level == "red" else "hold", reason, report.report_id)


if __name__ == "__main__":
    with Cupel() as client:
        made = check_deposit(client, str(uuid.uuid4()), *sys.argv[1:3])
    print(json.dumps(asdict(made)))
