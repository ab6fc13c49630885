-- Where every consumer stands, what every read model is doing, and the outbox of the primary tables.
CREATE SCHEMA projection;

-- A checkpoint moves only from the value its holder expects. Written often and never indexed beyond its key, so updates stay in the page.
CREATE TABLE projection.checkpoint (
  group_name  text COLLATE "C" NOT NULL,
  topic       text COLLATE "C" NOT NULL,
  partition   int4 NOT NULL,
  next        int8 NOT NULL CHECK (next >= 0),
  log         text NOT NULL,
  updated_at  timestamptz NOT NULL DEFAULT now(),
  -- When the checkpoint was last seen at the end of its partition; ages while the consumer lags or the log cannot be asked.
  followed_at timestamptz,
  PRIMARY KEY (group_name, topic, partition)
) WITH (fillfactor = 40);

CREATE TABLE projection.read_model (
  name              text COLLATE "C" PRIMARY KEY,
  schema_name       text NOT NULL,
  -- SHA-256 of the table definition the schema was made from: another one needs a rebuild.
  definition_sha256 text NOT NULL,
  state             text NOT NULL DEFAULT 'idle' CHECK (state IN ('idle', 'running', 'retrying', 'stopped')),
  state_at          timestamptz NOT NULL DEFAULT now(),
  lag               int8,
  error             text,
  stopped_topic     text,
  stopped_partition int4,
  stopped_offset    int8
) WITH (fillfactor = 40);

-- Events that must be appended because a primary table changed in the same transaction.
CREATE TABLE projection.outbox (
  seq        int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic      text NOT NULL,
  key        text NOT NULL,
  partition  int4,
  -- json, not jsonb: the event is appended as it was written, key order and number form included.
  event      json NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now(),
  relayed_at timestamptz
);
CREATE INDEX outbox_unrelayed ON projection.outbox (seq) WHERE relayed_at IS NULL;
CREATE INDEX outbox_relayed ON projection.outbox (relayed_at) WHERE relayed_at IS NOT NULL;

-- The relay appends what stands in the outbox, to every topic. A role writes the types of events that its programs write, and no others.
CREATE TABLE projection.outbox_right (
  role  text COLLATE "C" NOT NULL,
  type  text COLLATE "C" NOT NULL,
  topic text COLLATE "C" NOT NULL,
  PRIMARY KEY (role, type, topic)
);

-- The user who signed in counts, whatever role it has taken. The owner of the table could remove the trigger, so nothing is refused to it.
CREATE FUNCTION projection.refuse_unlisted_event() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
  IF NOT pg_has_role(session_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
    AND NOT EXISTS (SELECT FROM projection.outbox_right AS r JOIN pg_roles AS g ON g.rolname = r.role
      WHERE pg_has_role(session_user, g.oid, 'USAGE') AND r.type = NEW.event->>'type' AND r.topic = NEW.topic)
  THEN
    RAISE EXCEPTION 'permission denied: % writes no event of this type to the outbox for this topic', session_user
      USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_unlisted_event BEFORE INSERT OR UPDATE OF topic, key, partition, event ON projection.outbox
  FOR EACH ROW EXECUTE FUNCTION projection.refuse_unlisted_event();

-- The relay rests while nothing is written.
CREATE FUNCTION projection.nudge_relay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_catalog.pg_notify('cupel_nudge', 'outbox');
  RETURN NULL;
END $$;
CREATE TRIGGER nudge_relay AFTER INSERT ON projection.outbox FOR EACH STATEMENT EXECUTE FUNCTION projection.nudge_relay();

-- The months that `cupel retention apply` handed to an archive, for `cupel status` and `cupel doctor`. The events in the log say what may be gone.
CREATE TABLE projection.retired_month (
  month      text COLLATE "C" NOT NULL,
  store      text COLLATE "C" NOT NULL CHECK (store IN ('database', 'log')),
  reports    int8 NOT NULL,
  -- The folder, or s3://bucket/prefix.
  archive    text COLLATE "C" NOT NULL,
  begun_at   timestamptz NOT NULL DEFAULT now(),
  -- Null until everything of the month is gone from there.
  ended_at   timestamptz,
  PRIMARY KEY (month, store)
);

-- The runs of a retention that repeats: a timer makes them, and may be gone.
CREATE TABLE projection.retention_run (
  -- The archive: a folder, or s3://bucket/prefix.
  place        text COLLATE "C",
  keep_months  int4 CHECK (keep_months >= 0),
  -- The beginning of the first run.
  begun_at     timestamptz NOT NULL DEFAULT now(),
  -- The last run that did all that was due; null before the first one.
  done_at      timestamptz,
  -- Why the last run did not, and since when; null if it did.
  failure      text,
  failed_since timestamptz,
  PRIMARY KEY (place, keep_months)
);
