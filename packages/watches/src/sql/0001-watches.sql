-- Watched addresses, and how each stands. Primary tables: they change together with an outbox row.
CREATE SCHEMA watches;

CREATE TABLE watches.watch (
  watch_id             text COLLATE "C" PRIMARY KEY,
  account_id           text COLLATE "C" NOT NULL,
  livemode             bool NOT NULL,
  -- The screened address, as it was parsed when the watch was made.
  address              text NOT NULL,
  canonical_address    text COLLATE "C" NOT NULL,
  chain                text COLLATE "C" NOT NULL,
  candidate_chains     json NOT NULL,
  lookup_key           text COLLATE "C" NOT NULL,
  -- What the id of a report is put behind to make its page.
  report_page_url      text NOT NULL,
  reference            text,
  -- From then on it is not decided any more; null: without an end.
  until                timestamptz,
  -- Hundredths of a point by which the score must move.
  threshold_hundredths int4 NOT NULL CHECK (threshold_hundredths BETWEEN 1 AND 10000),
  created_at           timestamptz NOT NULL,
  -- Its last report; null until the first one.
  report_id            text COLLATE "C",
  level                text COLLATE "C",
  score                float8,
  reported_at          timestamptz,
  -- The last report waits for a list: the level depends on lists that are missing or old.
  awaits_lists         bool NOT NULL DEFAULT false,
  -- It is decided again from then on; null where nothing asks for it.
  due_at               timestamptz,
  -- What asked for it.
  causes               text[] NOT NULL DEFAULT '{}',
  -- The screening that is under way, and what asked for that one.
  pending_report_id    text COLLATE "C",
  pending_causes       text[] NOT NULL DEFAULT '{}',
  -- Screenings in a row that ended without a report.
  failures             int4 NOT NULL DEFAULT 0,
  -- The report that the account was told of last, or the first one: later reports are compared with it, so that a score that creeps is told.
  told_report_id       text COLLATE "C",
  told_level           text COLLATE "C",
  told_score           float8,
  -- Whether the watch is part of the daily digest, and the report that the last digest, or the first report, left off at.
  digest               bool NOT NULL DEFAULT false,
  digest_report_id     text COLLATE "C",
  digest_level         text COLLATE "C",
  digest_score         float8,
  -- Day of the last digest that said it had changed.
  digest_day           date
) WITH (fillfactor = 80);
CREATE UNIQUE INDEX watch_of_address ON watches.watch (account_id, livemode, chain, canonical_address);
CREATE INDEX watch_newest ON watches.watch (account_id, livemode, created_at DESC, watch_id DESC);
CREATE INDEX watch_changed ON watches.watch (account_id, livemode, digest_day, created_at DESC, watch_id DESC)
  WHERE digest_day IS NOT NULL;
CREATE INDEX watch_by_key ON watches.watch (lookup_key);
CREATE INDEX watch_by_chain ON watches.watch (chain, canonical_address);
CREATE INDEX watch_due ON watches.watch (account_id, livemode, due_at) WHERE due_at IS NOT NULL AND pending_report_id IS NULL;
CREATE UNIQUE INDEX watch_pending ON watches.watch (pending_report_id) WHERE pending_report_id IS NOT NULL;
-- How many screenings of watches of an account are under way is asked whenever one is due, and how many watches are pending differs from moment to
-- moment. Read in the order of this index, entries of watches that are pending no more are looked at once and then passed over.
CREATE INDEX watch_pending_of ON watches.watch (account_id, livemode, pending_report_id) WHERE pending_report_id IS NOT NULL;
CREATE INDEX watch_digest ON watches.watch (account_id, livemode) WHERE digest;

-- Answers of the calls that made watches, for repeats under an Idempotency-Key.
CREATE TABLE watches.batch (
  batch_id   text COLLATE "C" PRIMARY KEY,
  account_id text COLLATE "C" NOT NULL,
  livemode   bool NOT NULL,
  watch_ids  text[] NOT NULL,
  made_at    timestamptz NOT NULL
);
CREATE INDEX batch_made ON watches.batch (made_at);

-- The state of labels, ledger, policy and scorer that every watch was looked at for. One row.
CREATE TABLE watches.progress (
  only_row       bool PRIMARY KEY DEFAULT true CHECK (only_row),
  label_set_seq  int8 NOT NULL,
  ledger_seq     int8 NOT NULL,
  policy_seq     int8 NOT NULL,
  scorer_version text NOT NULL,
  -- The pass that decides every watch again: the last watch that it marked, null while it rests; when it began, and when the last one ended.
  pass_at        text COLLATE "C",
  pass_began_at  timestamptz NOT NULL DEFAULT now(),
  passed_at      timestamptz NOT NULL DEFAULT now()
);

-- Up to when the digests of each account and environment tell.
CREATE TABLE watches.digest (
  account_id text COLLATE "C" NOT NULL,
  livemode   bool NOT NULL,
  told_until timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode)
);

-- The entries of the inbox that somebody has read. The inbox itself is a read model.
CREATE TABLE watches.read_entry (
  account_id text COLLATE "C" NOT NULL,
  livemode   bool NOT NULL,
  -- The permanent identifier of a person, sealed; without a person, the first key in the chain of rotations of the key.
  reader     text COLLATE "C" NOT NULL,
  entry_id   text COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, livemode, reader, entry_id)
);
