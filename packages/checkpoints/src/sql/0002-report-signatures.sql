-- From which offset on a report must carry a signature. Verification reads it; no reader of reports does.
CREATE TABLE checkpoints.signatures_required (
  log          text COLLATE "C" NOT NULL,
  topic        text COLLATE "C" NOT NULL,
  partition    int4 NOT NULL,
  first_offset int8 NOT NULL CHECK (first_offset >= 0),
  PRIMARY KEY (log, topic, partition)
);
