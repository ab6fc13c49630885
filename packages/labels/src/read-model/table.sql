-- What sources state about addresses, and when it was known here. Rows are only added. Labels and retirements become visible
-- with the publication of their import, which is one row: a set changes all at once, and a killed import stays invisible.

CREATE TABLE label (
  import_id         text COLLATE "C" NOT NULL,
  label_id          text COLLATE "C" NOT NULL,
  source            text NOT NULL,
  dataset           text NOT NULL,
  chain             text NOT NULL,
  address           text NOT NULL,
  canonical_address text NOT NULL,
  lookup_key        text COLLATE "C" NOT NULL,
  category          text NOT NULL,
  subcategory       text NOT NULL,
  role              text NOT NULL,
  entity            text NOT NULL,
  origin            text NOT NULL,
  kind              text NOT NULL,
  confidence_ppm    int4 NOT NULL,
  source_url        text NOT NULL,
  observed_at       text,
  valid_from        text,
  valid_to          text,
  -- What the authority says of the listed party, as JSON.
  sanction          text,
  log_offset        int8 NOT NULL,
  -- Also finds the labels of a set, import by import.
  PRIMARY KEY (import_id, label_id)
);

-- No query chooses rows by these columns. Their statistics take half the time of an ANALYZE, and each publication causes one.
ALTER TABLE label
  ALTER source SET STATISTICS 0, ALTER dataset SET STATISTICS 0, ALTER chain SET STATISTICS 0,
  ALTER address SET STATISTICS 0, ALTER canonical_address SET STATISTICS 0, ALTER subcategory SET STATISTICS 0,
  ALTER role SET STATISTICS 0, ALTER entity SET STATISTICS 0, ALTER kind SET STATISTICS 0,
  ALTER confidence_ppm SET STATISTICS 0, ALTER source_url SET STATISTICS 0, ALTER observed_at SET STATISTICS 0,
  ALTER valid_from SET STATISTICS 0, ALTER valid_to SET STATISTICS 0, ALTER sanction SET STATISTICS 0;

-- For the look-up of every screen.
CREATE INDEX label_lookup ON label (lookup_key);

-- For the search of labels by the name of the party.
CREATE INDEX label_entity ON label ((lower(entity) COLLATE "C"), import_id, label_id);

-- Further keys of labels: the parts of a joined look-up key, and the token accounts of an owner.
CREATE TABLE label_key (
  lookup_key text COLLATE "C" NOT NULL,
  import_id  text COLLATE "C" NOT NULL,
  label_id   text COLLATE "C" NOT NULL,
  PRIMARY KEY (lookup_key, import_id, label_id)
);

-- For the guard of an import: what an authority designates, by its own sets and by restatements.
CREATE INDEX label_sanctions ON label (origin) WHERE category = 'sanctions';

CREATE TABLE retirement (
  label_id   text COLLATE "C" NOT NULL,
  import_id  text COLLATE "C" NOT NULL,
  valid_to   text NOT NULL,
  log_offset int8 NOT NULL,
  PRIMARY KEY (label_id, import_id)
);

-- Expected lists have a row too, numbered among the publications, because they change the inputs of a decision.
CREATE TABLE publication (
  -- 1, 2, 3 ... in the order of the log; identifies a state of all labels.
  label_set_seq     int8 PRIMARY KEY,
  import_id         text COLLATE "C" NOT NULL UNIQUE,
  -- published; expected: a refresher waits for it; dismissed: no longer expected.
  kind              text NOT NULL,
  source            text NOT NULL,
  dataset           text NOT NULL,
  sha256            text NOT NULL,
  as_of             text,
  published_at      text NOT NULL,
  historical        bool NOT NULL,
  appended          bool NOT NULL,
  authority_origin  text NOT NULL,
  -- All of the authority's list, not a part of it.
  whole             bool NOT NULL,
  -- Sets that this publication withdraws, as a JSON array of source and dataset.
  replaces          text NOT NULL,
  -- The list as the document names it; empty where it names none.
  list              text NOT NULL,
  -- Sets that were versions of the same list, as a JSON array of source/dataset.
  version_of        text NOT NULL,
  -- Rows of the document that were read, refused, skipped, unreadable and accepted, as a JSON object.
  rows              text NOT NULL,
  -- The newest publication when the changes were computed.
  based_on_seq      int8 NOT NULL,
  confirmed_at      text,
  lost_designations int4 NOT NULL,
  total             int4 NOT NULL,
  added             int4 NOT NULL,
  unchanged         int4 NOT NULL,
  retired           int4 NOT NULL,
  refused           int4 NOT NULL,
  accepted_removals int4,
  reason            text,
  imported_by       text NOT NULL,
  -- The set is refreshed on a schedule and must therefore be fresh.
  refresh_configured bool NOT NULL,
  -- Found when the publication was applied; null until then, and for an expected list.
  visible           int4,
  -- Names and aliases of those whom an authority's own list designates, as a JSON array.
  parties           text,
  stale_base        bool,
  log_offset        int8 NOT NULL
);
