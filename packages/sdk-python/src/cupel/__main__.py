"""`python -m cupel screen ADDRESS`: screens an address and says what came of it."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from . import Cupel, version
from .errors import ConfigurationError, ConnectionFailedError, CupelError, NotFoundError, ServerError
from .models import Report

EXIT_FAILED = 1
EXIT_NOT_FOUND = 3
EXIT_UNAVAILABLE = 69
EXIT_CONFIG = 78


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0 whatever the level is, and those of the command `cupel` otherwise."""
    given = _parser().parse_args(arguments)
    try:
        with Cupel() as cupel:
            report = cupel.screen(given.address, chain=given.chain, customer_reference=given.reference)
    except CupelError as error:
        print(_printable(str(error)), file=sys.stderr)
        return _exit_code(error)
    print(json.dumps(report.to_dict(), indent=2) if given.json else report_text(report))
    return 0


def report_text(report: Report) -> str:
    """The level first, then why, then where to read on."""
    risk = report.risk
    bound = " or more: something that the score needs was missing" if risk.score_is_lower_bound else ""
    lines = [f"{risk.level.upper()}  score {risk.score:g} of 100{bound}", f"{report.address} on {report.chain}"]
    for evidence in risk.evidence:
        mark = "*" if evidence.decisive else " "
        lines.append(f" {mark} {evidence.contribution:g}  {evidence.category}, {evidence.relation}: {evidence.entity}")
    lines += [f"because {reason}" for reason in risk.level_reasons]
    lines.append(f"report {report.report_id}  {report.report_url}")
    return "\n".join(_printable(line) for line in lines)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cupel", description="Reads CUPEL_API_KEY and CUPEL_BASE_URL from the environment."
    )
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    screen = commands.add_parser("screen", help="screen one address")
    screen.add_argument("address")
    screen.add_argument("--chain", help="chain code; without it the chain is detected from the address")
    screen.add_argument("--reference", help="your own reference, which the report repeats")
    screen.add_argument("--json", action="store_true", help="print the report as the API gives it")
    return parser


def _exit_code(error: CupelError) -> int:
    if isinstance(error, ConfigurationError):
        return EXIT_CONFIG
    if isinstance(error, (ConnectionFailedError, ServerError)):
        return EXIT_UNAVAILABLE
    return EXIT_NOT_FOUND if isinstance(error, NotFoundError) else EXIT_FAILED


def _printable(text: str) -> str:
    """Control characters, which a terminal would obey, as escapes."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


if __name__ == "__main__":
    sys.exit(main())
