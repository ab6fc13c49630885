-- One row per call whose key is known. Calls without one belong to nobody: operators read them from the log.
CREATE TABLE entry (
  request_id     text COLLATE "C" PRIMARY KEY,
  account_id     text COLLATE "C" NOT NULL,
  livemode       bool NOT NULL,
  key_id         text COLLATE "C" NOT NULL,
  scope          text NOT NULL,
  client_address text NOT NULL,
  method         text NOT NULL,
  route          text NOT NULL,
  status         int4 NOT NULL,
  -- Empty for a success.
  code           text NOT NULL,
  -- JSON array of texts.
  subject_ids    text NOT NULL,
  latency_ms     float8 NOT NULL,
  at             timestamptz NOT NULL
);

-- A list is always one account's, in one environment, newest first.
CREATE INDEX entry_newest ON entry (account_id, livemode, at DESC, request_id DESC);
