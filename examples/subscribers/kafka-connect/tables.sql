-- The sink writes INSERT … ON CONFLICT (key) DO UPDATE. What a second record with a key does is decided here, in the database.

CREATE TABLE screening_outcome (
  report_id text PRIMARY KEY,
  type text NOT NULL,
  account_id text NOT NULL,
  livemode boolean NOT NULL,
  -- Of a report.
  address text,
  chain text,
  level text,
  score double precision,
  generated_at timestamptz,
  -- Of a failure.
  code text,
  failed_at timestamptz,
  kafka_partition integer NOT NULL,
  kafka_offset bigint NOT NULL,
  CHECK ((type = 'ReportGenerated') = (level IS NOT NULL)),
  CHECK ((type = 'ScreeningFailed') = (code IS NOT NULL))
);

-- An event happened: whatever comes later with its id changes nothing.
CREATE FUNCTION keep_first() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';

CREATE TRIGGER first_outcome_wins BEFORE UPDATE ON screening_outcome FOR EACH ROW EXECUTE FUNCTION keep_first();

CREATE TABLE latest_report (
  key text PRIMARY KEY,
  type text NOT NULL,
  account_id text NOT NULL,
  livemode boolean NOT NULL,
  chain text NOT NULL,
  canonical_address text NOT NULL,
  address text NOT NULL,
  report_id text NOT NULL COLLATE "C",
  level text NOT NULL,
  score double precision NOT NULL,
  generated_at timestamptz NOT NULL,
  job_id text,
  report_partition integer NOT NULL,
  report_offset bigint NOT NULL,
  kafka_partition integer NOT NULL,
  kafka_offset bigint NOT NULL
);

-- State goes forward: a record that is repeated after a newer one changes nothing.
CREATE TRIGGER later_report_wins BEFORE UPDATE ON latest_report FOR EACH ROW
WHEN ((NEW.generated_at, NEW.report_id) <= (OLD.generated_at, OLD.report_id))
EXECUTE FUNCTION keep_first();

CREATE TABLE event (
  event_id text PRIMARY KEY,
  type text NOT NULL,
  topic text NOT NULL,
  subject text NOT NULL,
  happened_at timestamptz NOT NULL,
  data jsonb NOT NULL,
  kafka_partition integer NOT NULL,
  kafka_offset bigint NOT NULL
);

CREATE TRIGGER first_event_wins BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION keep_first();
