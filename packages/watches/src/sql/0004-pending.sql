-- How many screenings of watches of an account are under way is asked whenever one is due, and how many watches are pending differs from moment to
-- moment: without an index of their own the statistics of an earlier moment led to a look at every watch.
CREATE INDEX watch_pending_of ON watches.watch (account_id, livemode) WHERE pending_report_id IS NOT NULL;
