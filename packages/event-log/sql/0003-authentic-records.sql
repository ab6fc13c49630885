-- Which records must carry a MAC. Only the owner of the schema writes these tables: the role of the services reads them, and
-- nothing in the log changes them.

CREATE TABLE log.record_key (
  key_id text PRIMARY KEY,
  registered_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE log.record_key IS
  'The keys that every process of this installation must have before it reads: without one of them it would take true records for forged ones.';

CREATE TABLE log.macs_required (
  log_id text NOT NULL,
  topic text NOT NULL,
  partition int NOT NULL,
  first_offset bigint NOT NULL CHECK (first_offset >= 0),
  until_offset bigint CHECK (until_offset >= first_offset),
  set_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (log_id, topic, partition, first_offset)
);
COMMENT ON TABLE log.macs_required IS
  'Offsets at which a record without a MAC is forged. While a row of a log is open, a partition without rows requires a MAC of every record.';
COMMENT ON COLUMN log.macs_required.topic IS 'With the prefix of its installation.';
COMMENT ON COLUMN log.macs_required.until_offset IS
  'Null while MACs are required. A range that was closed goes on to bind the records within it.';
