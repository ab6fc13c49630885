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
  -- Who works on it, as of the last entry that said so: a key, its first one in its chain of rotations, and its name or that of a person.
  -- Null if nobody is assigned; name and permanent identifier are sealed, and empty for a key without them.
  assignee_key     text,
  assignee_holder  text COLLATE "C",
  assignee_name    text,
  assignee_subject text COLLATE "C",
  -- A day of UTC; null without one.
  due_on           date,
  opened_at        timestamptz NOT NULL,
  changed_at       timestamptz NOT NULL
) WITH (fillfactor = 80);
-- Each disposition and level is a range in the order of the list, and Postgres merges the ranges that a list has.
CREATE INDEX report_case_newest ON cases.report_case (account_id, livemode, disposition, level, changed_at DESC, report_id DESC);
-- Of levels that only a later version knows: empty until then.
CREATE INDEX report_case_of_other_level ON cases.report_case (account_id, livemode, disposition, changed_at DESC, report_id DESC)
  WHERE level NOT IN ('green', 'orange', 'red', 'grey');

CREATE INDEX report_case_assigned ON cases.report_case (account_id, livemode, assignee_subject, assignee_holder, changed_at DESC, report_id DESC)
  WHERE assignee_key IS NOT NULL;
CREATE INDEX report_case_unassigned ON cases.report_case (account_id, livemode, disposition, level, changed_at DESC, report_id DESC)
  WHERE assignee_key IS NULL;
CREATE INDEX report_case_due ON cases.report_case (account_id, livemode, due_on) WHERE due_on IS NOT NULL AND disposition <> 'cleared';

-- The history of a case: entries are only added.
CREATE TABLE cases.entry (
  report_id            text COLLATE "C" NOT NULL REFERENCES cases.report_case,
  version              int4 NOT NULL CHECK (version > 0),
  account_id           text COLLATE "C" NOT NULL,
  livemode             bool NOT NULL,
  kind                 text NOT NULL CHECK (kind IN ('note', 'disposition_changed', 'disposition_proposed', 'proposal_declined', 'assigned', 'file_attached')),
  -- The note, or the reason of the disposition or of the assignment; empty for a file.
  text                 text NOT NULL,
  -- Set, proposed or declined; null for other entries.
  disposition          text CHECK ((kind IN ('note', 'assigned', 'file_attached')) = (disposition IS NULL)),
  previous_disposition text,
  -- The entry that this one confirms or declines.
  proposal_version     int4 CHECK (proposal_version < version),
  made_at              timestamptz NOT NULL,
  key_id               text NOT NULL,
  -- The name of the key at that time, sealed; empty if it had none.
  key_name             text NOT NULL DEFAULT '',
  -- The first key of the line of rotations that the key is in.
  holder               text NOT NULL,
  -- The person, where one was signed in; else empty.
  actor                text NOT NULL,
  -- The name of the person that never changes, where a sign-in service vouches for one; else empty. Second persons are told apart by it.
  subject              text NOT NULL DEFAULT '',
  -- Of an assignment, as in the case; null for other entries, and where nobody is assigned or no day is set.
  assignee_key         text,
  assignee_holder      text,
  assignee_name        text,
  assignee_subject     text,
  due_on               date,
  -- Of a file; null for other entries. Its name and the SHA-256 of its bytes are sealed.
  file_name            text CHECK ((kind = 'file_attached') = (file_name IS NOT NULL)),
  file_type            text,
  file_bytes           int4,
  file_sha256          text,
  -- SHA-256 of the stored text of the file.
  content_sha256       text,
  PRIMARY KEY (report_id, version)
);
CREATE INDEX entry_people ON cases.entry (account_id, livemode, subject, made_at DESC) WHERE subject <> '';
CREATE INDEX entry_files ON cases.entry (account_id) INCLUDE (file_bytes) WHERE kind = 'file_attached';

-- The files of cases. They are in the database like all that an account gives to its cases: a backup has them with their entries.
CREATE TABLE cases.file (
  report_id  text COLLATE "C" NOT NULL,
  version    int4 NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  livemode   bool NOT NULL,
  -- The bytes of a text: the file in base64, sealed.
  content    bytea NOT NULL,
  PRIMARY KEY (report_id, version),
  FOREIGN KEY (report_id, version) REFERENCES cases.entry
);
ALTER TABLE cases.file ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE FUNCTION cases.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The history of a case is never changed or deleted';
END
$$;
CREATE TRIGGER entry_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON cases.entry
  FOR EACH STATEMENT EXECUTE FUNCTION cases.refuse_change();
CREATE TRIGGER file_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON cases.file
  FOR EACH STATEMENT EXECUTE FUNCTION cases.refuse_change();
