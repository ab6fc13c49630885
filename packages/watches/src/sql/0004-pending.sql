-- How many screenings of watches of an account are under way is asked whenever one is due, and how many watches are pending differs from moment to
-- moment. Read in the order of this index, entries of watches that are pending no more are looked at once and then passed over.
CREATE INDEX watch_pending_of ON watches.watch (account_id, livemode, pending_report_id) WHERE pending_report_id IS NOT NULL;
