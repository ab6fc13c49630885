-- The state of the bulk coordinator: primary tables, which change under the lock of the job's row and are backed up.
CREATE SCHEMA bulk;

-- Times are kept as the text of the events, so that what is decided from them has the same bytes.
CREATE TABLE bulk.job (
  job_id              text COLLATE "C" PRIMARY KEY,
  account_id          text COLLATE "C" NOT NULL,
  livemode            bool NOT NULL,
  submitted_at        text COLLATE "C" NOT NULL,
  total               int4 NOT NULL,
  -- One character per item: what became of it.
  marks               text COLLATE "C" NOT NULL,
  -- JSON: [index, index of the first item that shares its report], for those that are not the first.
  twins               text NOT NULL,
  latest_at           text COLLATE "C",
  cancel_requested_at text COLLATE "C",
  -- Screenings of the job: one per item, equal ones together.
  units               int4 NOT NULL,
  -- How many of them are on the bulk lane or past it, in their order.
  released            int4 NOT NULL,
  ended_units         int4 NOT NULL,
  correlation_id      text NOT NULL,
  causation_id        text NOT NULL,
  traceparent         text,
  report_page_url     text NOT NULL,
  -- The event that ends the job, as it is or will be in the log; decided once, in the transaction of the last item.
  ending              text,
  is_announced        bool NOT NULL DEFAULT false,
  ended_at            timestamptz,
  -- Its screenings were deleted.
  is_swept            bool NOT NULL DEFAULT false
);
CREATE INDEX job_open ON bulk.job (submitted_at, job_id) WHERE ending IS NULL;
CREATE INDEX job_unannounced ON bulk.job (ended_at) WHERE ending IS NOT NULL AND NOT is_announced;
CREATE INDEX job_ended ON bulk.job (ended_at) WHERE is_announced;
CREATE INDEX job_unswept ON bulk.job (ended_at) WHERE is_announced AND NOT is_swept;

-- One screening of a job, from the submission until some time after the end of the job.
CREATE TABLE bulk.unit (
  report_id         text COLLATE "C" PRIMARY KEY,
  job_id            text COLLATE "C" NOT NULL,
  position          int4 NOT NULL,
  item_index        int4 NOT NULL,
  address           text NOT NULL,
  canonical_address text NOT NULL,
  chain             text NOT NULL,
  candidate_chains  json NOT NULL,
  -- The customer reference of the report, sealed; null if it has none.
  reference         text
);
CREATE UNIQUE INDEX unit_by_job ON bulk.unit (job_id, position);

-- What was recorded of report ids whose job has not been read yet: the two topics have no common order.
CREATE TABLE bulk.early_outcome (
  report_id  text COLLATE "C" PRIMARY KEY,
  outcome    text NOT NULL,
  ended_at   text COLLATE "C" NOT NULL,
  noted_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX early_outcome_noted ON bulk.early_outcome (noted_at);

-- The lease of the coordinator, one row.
CREATE TABLE bulk.lease (
  -- Grows whenever the lease is taken, so that a coordinator that lost it can write nothing more.
  epoch    int8 NOT NULL,
  taken_at timestamptz
);
INSERT INTO bulk.lease (epoch) VALUES (0);
