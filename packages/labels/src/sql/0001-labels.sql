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

-- Files that operators sent to be imported: first looked at, then imported when they confirm. The publications that they lead to are
-- facts of the log; an order is of use until it ends, and its file is deleted then.
CREATE TABLE labels.list_order (
  order_id          text PRIMARY KEY,
  ordered_by        text NOT NULL,
  -- To the millisecond, as a page token has it.
  ordered_at        timestamptz NOT NULL DEFAULT date_trunc('milliseconds', now()),
  -- JSON: how the file is read.
  request           text NOT NULL,
  status            text NOT NULL CHECK (status IN ('receiving', 'checking', 'checked', 'importing', 'imported', 'refused', 'failed')),
  -- Bytes of the parts that were received.
  bytes             bigint NOT NULL DEFAULT 0,
  confirmed_by      text,
  accept_removals   int,
  accept_unreadable int,
  reason            text,
  -- JSON: the result of the last look or import; null before.
  result            text,
  changed_at        timestamptz NOT NULL DEFAULT now(),
  -- One process at a time works on an order; any process may take an expired lease.
  leased_by         text,
  leased_until      timestamptz
);
CREATE INDEX list_order_age ON labels.list_order (ordered_at, order_id);
CREATE TABLE labels.list_order_part (
  order_id text NOT NULL REFERENCES labels.list_order ON DELETE CASCADE,
  part     int NOT NULL,
  content  bytea NOT NULL,
  PRIMARY KEY (order_id, part)
);

COMMENT ON TABLE labels.list_order IS 'Files that operators sent to be imported, and what came of them.';

-- Labels that accounts state themselves. Primary table: each change has its event in the log. A removed label stays, so that a report and
-- a screen as of a past moment find what counted then.
CREATE TABLE labels.own_label (
  label_id          text COLLATE "C" PRIMARY KEY,
  account_id        text COLLATE "C" NOT NULL,
  livemode          bool NOT NULL,
  decision          text NOT NULL CHECK (decision IN ('block', 'allow')),
  category          text NOT NULL,
  chain             text NOT NULL,
  address           text NOT NULL,
  canonical_address text NOT NULL,
  -- The keys under which a screen finds it.
  lookup_keys       text[] NOT NULL,
  reason            text NOT NULL,
  stated_at         timestamptz NOT NULL,
  stated_by         text NOT NULL,
  -- The person, where one was signed in; else empty.
  actor             text NOT NULL,
  -- From then on it counts no more; null for never.
  expires_at        timestamptz,
  removed_at        timestamptz,
  removed_by        text CHECK ((removed_at IS NULL) = (removed_by IS NULL)),
  -- The label that took its place.
  replaced_by       text
);
-- An address has one label of an account on a chain.
CREATE UNIQUE INDEX own_label_in_force ON labels.own_label (account_id, livemode, chain, canonical_address) WHERE removed_at IS NULL;
CREATE INDEX own_label_look_up ON labels.own_label USING gin (lookup_keys);
CREATE INDEX own_label_page ON labels.own_label (account_id, livemode, stated_at, label_id);

COMMENT ON TABLE labels.own_label IS 'Labels that accounts state themselves, with those that they removed.';
