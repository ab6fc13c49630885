-- The state of each list that is refreshed on a schedule. If it is lost, each list is downloaded once more.

CREATE SCHEMA labels;

CREATE TABLE labels.refreshed_list (
  name          text PRIMARY KEY,
  due_at        timestamptz NOT NULL DEFAULT now(),
  -- One process at a time refreshes a list; any process may take an expired lease.
  leased_by     text,
  leased_until  timestamptz,
  -- Where the list was last fetched; the validators below belong to that place.
  place         text,
  etag          text,
  last_modified text,
  -- Hash of the file that was last imported from there.
  sha256        text,
  -- The digest of that file that its publisher stated.
  stated_digest text,
  attempted_at  timestamptz,
  succeeded_at  timestamptz,
  -- When a refresh last brought another file than the one before.
  changed_at    timestamptz,
  outcome       text,
  detail        text,
  failures      int NOT NULL DEFAULT 0
);
-- Labels of an import that memory cannot hold. A row is of use to the import that wrote it, and worthless after a crash.
CREATE UNLOGGED TABLE labels.spool (
  import_id  uuid NOT NULL,
  spool      int4 NOT NULL,
  bucket     int4 NOT NULL,
  ord        int8 NOT NULL,
  label      text NOT NULL,
  spooled_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX spool_bucket ON labels.spool (import_id, spool, bucket, ord);
CREATE INDEX spool_age ON labels.spool (spooled_at);

COMMENT ON TABLE labels.refreshed_list IS 'Schedule and last outcome of every list that is refreshed.';
