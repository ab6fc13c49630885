-- Links under which one report can be read without a key. Primary table: it cannot be rebuilt from the log, which has no digests.
CREATE SCHEMA sharing;

CREATE TABLE sharing.share (
  share_id          text COLLATE "C" PRIMARY KEY,
  -- SHA-256 of the token: the token itself is shown once and kept nowhere.
  token_digest      bytea NOT NULL UNIQUE CHECK (octet_length(token_digest) = 32),
  report_id         text COLLATE "C" NOT NULL,
  account_id        text COLLATE "C" NOT NULL,
  livemode          bool NOT NULL,
  label             text NOT NULL,
  created_at        timestamptz NOT NULL,
  created_by        text NOT NULL,
  -- The person, where one was signed in; else empty.
  actor             text NOT NULL,
  expires_at        timestamptz NOT NULL,
  revoked_at        timestamptz,
  revoked_by        text CHECK ((revoked_at IS NULL) = (revoked_by IS NULL)),
  opens             int4 NOT NULL DEFAULT 0,
  last_opened_at    timestamptz,
  -- The minute in which openings are counted against the limit, and their number.
  window_started_at timestamptz,
  window_opens      int4 NOT NULL DEFAULT 0
) WITH (fillfactor = 80);

CREATE INDEX share_of_report ON sharing.share (report_id, created_at DESC, share_id DESC);
