-- The transparency log: a hash tree with a leaf for every record, in the order in which the leaves came.
CREATE SCHEMA transparency;

CREATE TABLE transparency.log (
  number     int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The identity of the log of events.
  log        text COLLATE "C" NOT NULL UNIQUE,
  size       int8 NOT NULL CHECK (size >= 0),
  -- Roots of the full subtrees of the tree.
  peaks      bytea NOT NULL,
  -- The signed note of a tree of this size; null for an empty tree, which nobody signs.
  checkpoint text CHECK ((checkpoint IS NULL) = (size = 0)),
  -- The last checkpoint that enough witnesses cosigned. The log may have a longer one by now.
  cosigned_size int8,
  -- The signed note with the lines of the witnesses.
  cosigned text,
  -- When it had enough of them.
  cosigned_at timestamptz,
  -- The last time when a projector looked for new records, and gave them their leaves; null before the first one.
  checked_at timestamptz,
  -- Why the last look gave no record a leaf; null where it succeeded.
  stopped text,
  CHECK (num_nulls(cosigned_size, cosigned, cosigned_at) IN (0, 3)),
  CHECK (cosigned_size <= size)
);

-- The partitions whose records have leaves. Leaves themselves name no place: these rows are the operator's, and are never published.
CREATE TABLE transparency.place (
  number    int4 NOT NULL REFERENCES transparency.log,
  place     int4 NOT NULL,
  topic     text COLLATE "C" NOT NULL,
  partition int4 NOT NULL,
  -- Index of the last leaf of a record that the log is known to have.
  last      int8,
  PRIMARY KEY (number, place),
  UNIQUE (number, topic, partition)
);

CREATE TABLE transparency.leaf (
  number        int4 NOT NULL REFERENCES transparency.log,
  index         int8 NOT NULL CHECK (index >= 0),
  entry         text NOT NULL,
  -- Where the record is; null if the log had lost it when the leaf was taken back from a published file.
  place         int4,
  record_offset int8,
  -- Where the record is a report or an entry of a case: its id, and the salt of its document, which also follows from the record.
  document_id   text COLLATE "C",
  salt          bytea,
  PRIMARY KEY (number, index),
  CHECK ((place IS NULL) = (record_offset IS NULL)),
  CHECK ((document_id IS NULL) = (salt IS NULL))
);

-- The first leaf with the id of a document is the document's.
CREATE INDEX leaf_by_document ON transparency.leaf (document_id, number, index) WHERE document_id IS NOT NULL;

-- Roots of full subtrees of 256 leaves (level 1), 65,536 leaves (level 2) and so on: the hashes of tiles.
CREATE TABLE transparency.subtree (
  number int4 NOT NULL REFERENCES transparency.log,
  level  int2 NOT NULL CHECK (level > 0),
  index  int8 NOT NULL CHECK (index >= 0),
  hash   bytea NOT NULL CHECK (octet_length(hash) = 32),
  PRIMARY KEY (number, level, index)
);

-- What is known of each witness that is asked.
CREATE TABLE transparency.witness (
  number      int4 NOT NULL REFERENCES transparency.log,
  -- Its verifier key.
  vkey        text COLLATE "C" NOT NULL,
  -- Leaves of the last checkpoint that it cosigned, as far as is known.
  size        int8 NOT NULL DEFAULT 0 CHECK (size >= 0),
  cosigned_at timestamptz,
  -- Of the last try; null where it cosigned.
  failure     text,
  -- Failed tries in a row.
  failures    int8 NOT NULL DEFAULT 0,
  -- Whether the last answer said that the log does not extend what the witness cosigned.
  saw_other   bool NOT NULL DEFAULT false,
  -- Until then no process asks it: another one does, or its last try failed.
  retry_at    timestamptz,
  PRIMARY KEY (number, vkey)
);

-- The archives that `cupel archive create` keeps.
CREATE TABLE transparency.archive (
  number   int4 NOT NULL REFERENCES transparency.log,
  -- The folder, or s3://bucket/prefix.
  place    text COLLATE "C" NOT NULL,
  -- The number of its last manifest.
  manifest int8 NOT NULL CHECK (manifest >= 0),
  -- Leaves whose records it has.
  size     int8 NOT NULL CHECK (size >= 0),
  -- The beginning of the first run.
  begun_at timestamptz NOT NULL DEFAULT now(),
  -- The last run that succeeded; null before the first one.
  made_at  timestamptz,
  -- Why the last run failed, and since when runs fail; null where it succeeded.
  failure  text,
  failed_since timestamptz,
  PRIMARY KEY (number, place)
);

-- The public keys that are in the log, or on their way in the outbox.
CREATE TABLE transparency.published_key (
  key_id       text COLLATE "C" NOT NULL,
  verifier_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (key_id, verifier_key)
);
