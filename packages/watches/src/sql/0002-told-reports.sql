-- The report that the account was told of last, or the first one: later reports are compared with it, so that a score that creeps is told.
ALTER TABLE watches.watch
  ADD COLUMN told_report_id text COLLATE "C",
  ADD COLUMN told_level     text COLLATE "C",
  ADD COLUMN told_score     float8;
-- Of earlier watches only the last report is known.
UPDATE watches.watch SET told_report_id = report_id, told_level = level, told_score = score WHERE report_id IS NOT NULL;
