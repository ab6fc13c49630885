-- One row per report id: the first record with that id in its partition, a report or a failure.
CREATE TABLE report (
  report_id         text COLLATE "C" PRIMARY KEY,
  account_id        text COLLATE "C" NOT NULL,
  livemode          bool NOT NULL,
  state             text NOT NULL CHECK (state IN ('generated', 'failed')),
  -- Null in failed rows from here ...
  address           text,
  canonical_address text COLLATE "C",
  -- What spends from the address: one for all spellings and forms of a key.
  owner_key         text COLLATE "C",
  -- What else the owner of the address is known by, such as the stake credential of Cardano; null without one.
  further_owner_key text COLLATE "C",
  chain             text COLLATE "C",
  level             text COLLATE "C",
  score             float8,
  -- For a transfer what was recommended; null where an address was screened by itself.
  recommendation    text COLLATE "C",
  -- The caller's own reference as it is stored in the report; null without one.
  customer_reference text COLLATE "C",
  -- The report as callers receive it, byte for byte.
  document          text,
  -- A MAC of the document with a record key: readers read the record of a row whose MAC does not hold. Null without document or keys.
  document_mac      text COLLATE "C",
  -- ... to here; the next two are null in the others.
  failure_code      text,
  failure_detail    text,
  -- When the screening ended, either way.
  ended_at          timestamptz NOT NULL,
  job_id            text COLLATE "C",
  job_index         int4,
  log_partition     int4 NOT NULL,
  log_offset        int8 NOT NULL
);

-- A list belongs to one account in one environment and is newest first. Each index gives such lists in order. The reports
-- of all levels are a range for each level and one for the levels that only a later version knows; Postgres merges them. A row without a
-- level would be in none of them.
ALTER TABLE report ADD CHECK ((state = 'generated') = (level IS NOT NULL));
CREATE INDEX report_by_level ON report (account_id, livemode, level, ended_at DESC, report_id DESC)
  WHERE state = 'generated';
CREATE INDEX report_of_other_level ON report (account_id, livemode, ended_at DESC, report_id DESC)
  WHERE state = 'generated' AND level NOT IN ('green', 'orange', 'red', 'grey');
CREATE INDEX report_by_chain ON report (account_id, livemode, chain, level, ended_at DESC, report_id DESC)
  WHERE state = 'generated';
-- People look for an owner, whatever the spelling.
CREATE INDEX report_by_owner ON report (account_id, livemode, owner_key, ended_at DESC, report_id DESC)
  WHERE state = 'generated';
CREATE INDEX report_by_further_owner ON report (account_id, livemode, further_owner_key, ended_at DESC, report_id DESC)
  WHERE state = 'generated' AND further_owner_key IS NOT NULL;
-- There are very many addresses, so the latest report of each has an index of its own.
CREATE INDEX report_by_address ON report (account_id, livemode, canonical_address, ended_at DESC, report_id DESC)
  WHERE state = 'generated';
CREATE INDEX report_by_recommendation ON report (account_id, livemode, recommendation, ended_at DESC, report_id DESC)
  WHERE state = 'generated' AND recommendation IS NOT NULL;
CREATE INDEX report_by_reference ON report (account_id, livemode, customer_reference, ended_at DESC, report_id DESC)
  WHERE state = 'generated' AND customer_reference IS NOT NULL;
