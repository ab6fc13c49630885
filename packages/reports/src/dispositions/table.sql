-- One row per report on which people work: what the list of reports is filtered by. The case itself is a primary table.
CREATE TABLE report_case (
  report_id       text COLLATE "C" NOT NULL,
  account_id      text COLLATE "C" NOT NULL,
  livemode        bool NOT NULL,
  -- As of the newest decision; `open` before the first one.
  disposition     text COLLATE "C" NOT NULL,
  -- The entry of that decision; 0 before the first one.
  decided_version int4 NOT NULL,
  -- A record that names the report of another tenant changes nothing of that tenant.
  PRIMARY KEY (report_id, account_id, livemode)
) WITH (fillfactor = 80);

CREATE INDEX report_case_by_disposition ON report_case (account_id, livemode, disposition, report_id);
