-- What is known of each list that is refreshed on a schedule. Losing it costs one download of each.

CREATE SCHEMA labels;

CREATE TABLE labels.refreshed_list (
  name          text PRIMARY KEY,
  due_at        timestamptz NOT NULL DEFAULT now(),
  -- One process at a time refreshes a list; a lease that ran out is anybody's.
  leased_by     text,
  leased_until  timestamptz,
  -- Where the list came from last: what follows says nothing of another place.
  place         text,
  etag          text,
  last_modified text,
  -- Hash of the file that was imported last from there.
  sha256        text,
  attempted_at  timestamptz,
  succeeded_at  timestamptz,
  outcome       text,
  detail        text,
  failures      int NOT NULL DEFAULT 0
);
COMMENT ON TABLE labels.refreshed_list IS 'Schedule and last outcome of every list that is refreshed.';
