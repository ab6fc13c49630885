-- Where the checkpoints of each log stand. The checkpoints themselves are files: these rows only let one writer follow another.
CREATE SCHEMA checkpoints;

-- The last checkpoint of a log. Its line is stored before it is written to the files, so that nobody signs another one with its number.
CREATE TABLE checkpoints.head (
  log      text COLLATE "C" PRIMARY KEY,
  number   int8 NOT NULL CHECK (number > 0),
  -- Byte of the file at which the line begins.
  position int8 NOT NULL CHECK (position >= 0),
  line     text NOT NULL,
  -- Hash tree over the statements of all checkpoints, as the roots of its full subtrees.
  peaks    bytea NOT NULL
);

CREATE TABLE checkpoints.partition (
  log       text COLLATE "C" NOT NULL REFERENCES checkpoints.head,
  topic     text COLLATE "C" NOT NULL,
  partition int4 NOT NULL,
  -- The hash tree covers the records first <= offset < next.
  first     int8 NOT NULL,
  next      int8 NOT NULL CHECK (next > first),
  peaks     bytea NOT NULL,
  last_leaf bytea NOT NULL,
  PRIMARY KEY (log, topic, partition)
) WITH (fillfactor = 50);

-- The public keys that are in the log, or on their way in the outbox.
CREATE TABLE checkpoints.published_key (
  key_id       text COLLATE "C" NOT NULL,
  verifier_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (key_id, verifier_key)
);

-- From which offset on a report must carry a signature. Verification reads it; no reader of reports does.
CREATE TABLE checkpoints.signatures_required (
  log          text COLLATE "C" NOT NULL,
  topic        text COLLATE "C" NOT NULL,
  partition    int4 NOT NULL,
  first_offset int8 NOT NULL CHECK (first_offset >= 0),
  -- Before which offset it was required, if an operator has said that reports without one count again; null while it is required.
  -- A partition may have several such ranges, one after another.
  until_offset int8 CHECK (until_offset >= first_offset),
  PRIMARY KEY (log, topic, partition, first_offset)
);
