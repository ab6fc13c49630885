-- What a person of an account should look at: one row per change, failing watch and case with decisions. Who has read it is a primary table.
CREATE TABLE inbox_entry (
  account_id text COLLATE "C" NOT NULL,
  livemode   bool NOT NULL,
  -- What the row is about: an event, or the report of a case.
  source     text COLLATE "C" NOT NULL,
  -- Id of the event that the entry tells.
  entry_id   text COLLATE "C" NOT NULL,
  kind       text COLLATE "C" NOT NULL,
  -- Of a case: the entry of its newest proposal or decision. Else 0.
  version    int4 NOT NULL,
  -- False if the newest entry of the case leaves no proposal that waits.
  is_shown   bool NOT NULL,
  at         timestamptz NOT NULL,
  -- Null if there is no report.
  report_id  text COLLATE "C",
  level      text COLLATE "C",
  -- JSON: what the entry says. Texts of the account are sealed.
  document   text NOT NULL,
  -- A record that names the report of another tenant changes nothing of that tenant.
  PRIMARY KEY (account_id, livemode, source)
) WITH (fillfactor = 80);

CREATE INDEX entry_newest ON inbox_entry (account_id, livemode, at DESC, entry_id DESC) WHERE is_shown;
CREATE INDEX entry_by_id ON inbox_entry (account_id, livemode, entry_id);
