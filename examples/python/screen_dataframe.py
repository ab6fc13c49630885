"""
Adds the levels of a column of addresses to a table, and lists what a person must look at.

    python screen_dataframe.py deposits.csv sender
"""

import sys

import pandas as pd

from cupel import Cupel
from cupel.pandas import screen_column


def with_levels(cupel: Cupel, table: pd.DataFrame, column: str) -> pd.DataFrame:
    levels = screen_column(cupel, table[column])
    table = table.join(levels[["status", "level", "score", "report_id"]])
    # What has no level has not been judged: it waits for a person, as everything does that is not green.
    table["is_accepted"] = table["level"] == "green"
    return table


if __name__ == "__main__":
    with Cupel() as client:
        judged = with_levels(client, pd.read_csv(sys.argv[1]), sys.argv[2])
    print(judged[~judged["is_accepted"]].to_csv(index=False), end="")
