-- Whether the watch is part of the daily digest, and the report that the last digest, or the first report, left off at.
ALTER TABLE watches.watch
  ADD COLUMN digest           bool NOT NULL DEFAULT false,
  ADD COLUMN digest_report_id text COLLATE "C",
  ADD COLUMN digest_level     text COLLATE "C",
  ADD COLUMN digest_score     float8,
  -- Day of the last digest that said it had changed.
  ADD COLUMN digest_day       date;
UPDATE watches.watch SET digest_report_id = told_report_id, digest_level = told_level, digest_score = told_score
WHERE told_report_id IS NOT NULL;
CREATE INDEX watch_digest ON watches.watch (account_id, livemode) WHERE digest;

-- Up to when the digests of each account and environment tell.
CREATE TABLE watches.digest (
  account_id text COLLATE "C" NOT NULL,
  livemode   bool NOT NULL,
  told_until timestamptz NOT NULL,
  PRIMARY KEY (account_id, livemode)
);
