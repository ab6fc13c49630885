-- Cases of reports: what people wrote and decided about them. Primary tables: they change together with an outbox row.
CREATE SCHEMA cases;

-- The present state of a case; what led to it is in its entries.
CREATE TABLE cases.report_case (
  report_id        text COLLATE "C" PRIMARY KEY,
  account_id       text COLLATE "C" NOT NULL,
  livemode         bool NOT NULL,
  -- Of the report, which never changes.
  address          text NOT NULL,
  chain            text COLLATE "C" NOT NULL,
  level            text COLLATE "C" NOT NULL,
  score            float8 NOT NULL,
  disposition      text COLLATE "C" NOT NULL CHECK (disposition IN ('open', 'escalated', 'cleared')),
  -- Number of entries.
  version          int4 NOT NULL CHECK (version > 0),
  -- The entry of the proposal that waits for a second person; null where none does.
  proposal_version int4 CHECK (proposal_version <= version),
  opened_at        timestamptz NOT NULL,
  changed_at       timestamptz NOT NULL
) WITH (fillfactor = 80);
-- Each disposition and level is a range in the order of the list, and Postgres merges the ranges that a list has.
CREATE INDEX report_case_newest ON cases.report_case (account_id, livemode, disposition, level, changed_at DESC, report_id DESC);
-- Of levels that only a later version knows: empty until then.
CREATE INDEX report_case_of_other_level ON cases.report_case (account_id, livemode, disposition, changed_at DESC, report_id DESC)
  WHERE level NOT IN ('green', 'orange', 'red', 'grey');

-- The history of a case: entries are only added.
CREATE TABLE cases.entry (
  report_id            text COLLATE "C" NOT NULL REFERENCES cases.report_case,
  version              int4 NOT NULL CHECK (version > 0),
  account_id           text COLLATE "C" NOT NULL,
  livemode             bool NOT NULL,
  kind                 text NOT NULL CHECK (kind IN ('note', 'disposition_changed', 'disposition_proposed', 'proposal_declined')),
  -- The note, or the reason of the disposition.
  text                 text NOT NULL,
  -- Set, proposed or declined; null for a note.
  disposition          text CHECK ((kind = 'note') = (disposition IS NULL)),
  previous_disposition text,
  -- The entry that this one confirms or declines.
  proposal_version     int4 CHECK (proposal_version < version),
  made_at              timestamptz NOT NULL,
  key_id               text NOT NULL,
  -- The first key of the line of rotations that the key is in.
  holder               text NOT NULL,
  -- The person, where one was signed in; else empty.
  actor                text NOT NULL,
  -- The name of the person that never changes, where a sign-in service vouches for one; else empty. Second persons are told apart by it.
  subject              text NOT NULL DEFAULT '',
  PRIMARY KEY (report_id, version)
);

CREATE FUNCTION cases.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The history of a case is never changed or deleted';
END
$$;
CREATE TRIGGER entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON cases.entry
  FOR EACH STATEMENT EXECUTE FUNCTION cases.refuse_change();
