-- Every activation, in the order of the log. The newest one is in force.
CREATE TABLE activation (
  policy_seq   int8 PRIMARY KEY,
  event_id     text COLLATE "C" NOT NULL UNIQUE,
  policy_id    text NOT NULL,
  version      int4 NOT NULL,
  -- RFC 8785 JSON, exactly the bytes that were hashed.
  document     text NOT NULL,
  sha256       text NOT NULL,
  activated_by text NOT NULL,
  reason       text NOT NULL,
  activated_at text NOT NULL,
  log_offset   int8 NOT NULL
);
