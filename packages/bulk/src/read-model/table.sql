-- One row per bulk job. The outcomes of its items are in the report view, found by report id; they are not stored again here.
CREATE TABLE job (
  job_id              text COLLATE "C" PRIMARY KEY,
  account_id          text COLLATE "C" NOT NULL,
  livemode            bool NOT NULL,
  submitted_at        timestamptz NOT NULL,
  -- Sealed; null if the job has no name.
  name                text,
  -- JSON array: address and reference of each item as sent, and its report id or why it is refused.
  items               text NOT NULL,
  cancel_requested_at timestamptz,
  -- The columns from here on are null while the job runs.
  status              text,
  completed           int4,
  failed              int4,
  cancelled           int4,
  -- JSON array, ascending.
  cancelled_indices   text,
  ended_at            timestamptz
);

-- Ids of jobs begin with the time of their creation.
CREATE INDEX job_newest ON job (account_id, livemode, job_id DESC);
