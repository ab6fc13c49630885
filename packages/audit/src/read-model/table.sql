-- One row per call whose key is known. Calls without a known key belong to no account: operators read them from the log.
CREATE TABLE entry (
  request_id     text COLLATE "C" PRIMARY KEY,
  account_id     text COLLATE "C" NOT NULL,
  livemode       bool NOT NULL,
  key_id         text COLLATE "C" NOT NULL,
  scope          text NOT NULL,
  client_address text NOT NULL,
  method         text NOT NULL,
  route          text NOT NULL,
  -- Of a call that waits for a report: the status where there is one.
  status         int4 NOT NULL,
  -- Empty for a success.
  code           text NOT NULL,
  -- JSON array of texts.
  subject_ids    text NOT NULL,
  -- 0 where the call waits for a report.
  latency_ms     float8 NOT NULL,
  at             timestamptz NOT NULL,
  -- Empty where only the key is known.
  actor          text NOT NULL,
  -- The report whose record is the outcome of the call; null where the outcome is in this row.
  report_id      text COLLATE "C",
  -- Whether an ApiRequestAudited made the row: it replaces what another event says of the call.
  is_audited     bool NOT NULL
);

-- A list shows the calls of one account in one environment, newest first.
CREATE INDEX entry_newest ON entry (account_id, livemode, at DESC, request_id DESC);

-- Calls that may be problems: those that were refused, and screens, whose report says it.
CREATE INDEX entry_problem ON entry (account_id, livemode, at DESC, request_id DESC) WHERE status >= 400 OR report_id IS NOT NULL;

-- The use of each key, summed when an entry is added: GET /v1/usage reads a row for each key and day, however many calls there were.
CREATE TABLE usage_day (
  account_id   text COLLATE "C" NOT NULL,
  livemode     bool NOT NULL,
  -- UTC.
  day          date NOT NULL,
  key_id       text COLLATE "C" NOT NULL,
  calls        int8 NOT NULL,
  screens      int8 NOT NULL,
  problems     int8 NOT NULL,
  rate_limited int8 NOT NULL,
  PRIMARY KEY (account_id, livemode, day, key_id)
) WITH (fillfactor = 50);
