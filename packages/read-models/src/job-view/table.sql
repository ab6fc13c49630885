-- One row per bulk job. What became of its items is in the reports, found by their ids: no second copy of them is kept.
CREATE TABLE job (
  job_id              text COLLATE "C" PRIMARY KEY,
  account_id          text COLLATE "C" NOT NULL,
  livemode            bool NOT NULL,
  submitted_at        timestamptz NOT NULL,
  -- JSON array: the address of each item as sent, and its report id or why it is refused.
  items               text NOT NULL,
  cancel_requested_at timestamptz,
  -- Null from here while the job runs.
  status              text,
  completed           int4,
  failed              int4,
  cancelled           int4,
  -- JSON array, ascending.
  cancelled_indices   text,
  ended_at            timestamptz
);
