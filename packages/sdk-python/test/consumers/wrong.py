"""Each function has one fault, which type checkers must refuse."""

from __future__ import annotations

from cupel import AsyncCupel, Cupel, Report


def misspelt(report: Report) -> str:
    return report.risk.levle


def changed(cupel: Cupel) -> None:
    cupel.screen("x", chian="ETH")


def compared(report: Report) -> int:
    return report.risk.level


def not_awaited(cupel: AsyncCupel) -> Report:
    return cupel.screen("x")
