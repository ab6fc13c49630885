-- The transparency log: a hash tree with a leaf for every event, in the order in which the leaves came.
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
  -- Until then one process asks the witnesses, and others leave it to it.
  asked_until timestamptz,
  CHECK (num_nulls(cosigned_size, cosigned, cosigned_at) IN (0, 3)),
  CHECK (cosigned_size <= size)
);

CREATE TABLE transparency.leaf (
  number    int4 NOT NULL REFERENCES transparency.log,
  index     int8 NOT NULL CHECK (index >= 0),
  entry     text NOT NULL,
  -- The salts of the leaf follow from it. Null where it was erased: the leaf stays, and nobody can try contents against it any more.
  seed      bytea,
  -- Where the event is a report.
  report_id text COLLATE "C",
  PRIMARY KEY (number, index)
);

-- The first leaf with a report id is the report's.
CREATE INDEX leaf_by_report ON transparency.leaf (report_id, number, index) WHERE report_id IS NOT NULL;

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
  PRIMARY KEY (number, vkey)
);
