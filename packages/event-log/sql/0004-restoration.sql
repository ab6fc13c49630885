-- Set while a log is made from an archive, and until database and log were brought together: no service starts meanwhile.
CREATE TABLE log.restoration (
  log_id text PRIMARY KEY,
  archive text NOT NULL,
  manifest bigint NOT NULL CHECK (manifest > 0),
  head text NOT NULL,
  is_whole boolean NOT NULL DEFAULT false,
  began_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE log.restoration IS 'The archive that the log is made from. `cupel restore` deletes the row.';
COMMENT ON COLUMN log.restoration.archive IS 'Identity of the log that the archive holds.';
COMMENT ON COLUMN log.restoration.head IS 'SHA-256 in hex of the last manifest.';
COMMENT ON COLUMN log.restoration.is_whole IS 'Whether every record of the archive is in the log.';
