-- Schemas of the events, copied here by the registration job so that no service needs the registry to start or to read.
CREATE SCHEMA log;

CREATE TABLE log.schema (
  id int PRIMARY KEY,
  definition text NOT NULL
);
COMMENT ON TABLE log.schema IS 'Avro schemas by the id that stands before every payload.';

CREATE TABLE log.schema_version (
  subject text NOT NULL,
  version int NOT NULL CHECK (version > 0),
  schema_id int NOT NULL REFERENCES log.schema (id),
  sha256 text NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT now(),
  -- By text, not by version: a registry may give one version back in another notation.
  PRIMARY KEY (subject, sha256)
);
CREATE INDEX ON log.schema_version (subject, version);
COMMENT ON COLUMN log.schema_version.sha256 IS
  'Of the schema as compact JSON: a service finds the id of the very schema it was built with, not of the newest.';
