-- The keys of personal data. The schema has nothing else, so that a backup can leave it out.
CREATE SCHEMA personal_data;

CREATE TABLE personal_data.account_key (
  -- Empty for calls of nobody's account.
  account_id   text COLLATE "C" NOT NULL,
  -- Empty for the key of an account; `2026-11` for the one of the client addresses of that month (UTC).
  period       text COLLATE "C" NOT NULL CHECK (period ~ '^(|[0-9]{4}-[0-9]{2})$'),
  key_id       text COLLATE "C" NOT NULL UNIQUE,
  -- The key of the installation under which `wrapped` is encrypted.
  master_id    text COLLATE "C" NOT NULL,
  -- Null once it is destroyed. The row stays, so that no other key takes its place and readers can say "erased".
  wrapped      bytea,
  created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
  destroyed_at timestamptz CHECK ((destroyed_at IS NULL) = (wrapped IS NOT NULL)),
  PRIMARY KEY (account_id, period)
);

-- The keys of customer references, so that one end customer can be erased alone.
CREATE TABLE personal_data.reference_key (
  key_id         text COLLATE "C" PRIMARY KEY,
  account_id     text COLLATE "C" NOT NULL,
  -- Keyed hash of the reference, under the key of the installation that wraps the row. Null once the key is destroyed.
  reference_hash bytea CHECK (octet_length(reference_hash) = 32),
  -- The same as of the key of the account.
  master_id      text COLLATE "C" NOT NULL,
  -- The key and its reference. Null once it is destroyed. The row stays, so that readers can say "erased".
  wrapped        bytea,
  created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  destroyed_at   timestamptz CHECK ((destroyed_at IS NULL) = (wrapped IS NOT NULL)),
  CHECK ((reference_hash IS NULL) = (wrapped IS NULL))
);
CREATE UNIQUE INDEX reference_key_of_reference ON personal_data.reference_key (account_id, reference_hash)
WHERE reference_hash IS NOT NULL;
