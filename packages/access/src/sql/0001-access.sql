-- Primary tables of access: they change in one transaction with an outbox row, and they are backed up.
CREATE SCHEMA IF NOT EXISTS access;

-- One row: what makes this installation's report ids its own.
CREATE TABLE access.installation (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  -- Key of the permutation that turns report numbers into report ids. Two random UUIDs hold 244 random bits.
  report_id_key bytea NOT NULL CHECK (octet_length(report_id_key) = 32),
  created_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO access.installation (report_id_key)
VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

-- The next report number nobody was given. A row instead of a sequence: a sequence logs ahead of what it hands out and
-- may hand a number out twice after a crash of the server; a committed row cannot.
CREATE TABLE access.report_number (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  next bigint NOT NULL CHECK (next >= 0)
);
INSERT INTO access.report_number (next) VALUES (0);

CREATE TABLE access.account (
  account_id text PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  created_by text NOT NULL
);

CREATE TABLE access.api_key (
  key_id text PRIMARY KEY,
  account_id text NOT NULL REFERENCES access.account,
  environment text NOT NULL CHECK (environment IN ('live', 'test')),
  -- SHA-256 of the whole key: the key itself is shown once and kept nowhere.
  key_hash bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  scope text NOT NULL CHECK (scope IN ('read-only', 'read-write')),
  plan text NOT NULL,
  name text NOT NULL,
  -- Empty: usable from anywhere. IPv4-mapped ranges are stored as IPv4.
  allowed_ips cidr[] NOT NULL,
  webhook_admin boolean NOT NULL,
  rotated_from text REFERENCES access.api_key,
  issued_at timestamptz NOT NULL,
  issued_by text NOT NULL,
  expires_at timestamptz,
  -- May lie ahead: a rotated key works until its overlap ends.
  revoked_at timestamptz
);
CREATE INDEX api_key_account ON access.api_key (account_id, issued_at);

-- Report ids handed out in a 503 before their report existed, so that a later read is told "pending" and not "unknown".
CREATE TABLE access.pending_screen (
  report_id text PRIMARY KEY,
  account_id text NOT NULL,
  livemode boolean NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX pending_screen_age ON access.pending_screen (noted_at);

-- Judges every call of one moment, by this server's clock. One row per call, in the order given.
-- A key that does not match its hash is as unknown as one that never existed.
CREATE FUNCTION access.admit_calls(
  key_ids text[], key_hashes bytea[], client_addresses inet[], required_scopes text[]
) RETURNS TABLE (
  ordinal int, outcome text, key_id text, account_id text, environment text, scope text, plan text, webhook_admin boolean
) LANGUAGE sql STABLE AS $$
  SELECT call.ordinal::int,
    CASE
      WHEN key.key_id IS NULL THEN 'unknown_key'
      WHEN key.revoked_at <= statement_timestamp() THEN 'revoked_key'
      WHEN key.expires_at <= statement_timestamp() THEN 'expired_key'
      WHEN cardinality(key.allowed_ips) > 0 AND (call.client_address <<= ANY (key.allowed_ips)) IS NOT TRUE
        THEN 'ip_not_allowed'
      WHEN call.required_scope = 'read-write' AND key.scope <> 'read-write' THEN 'scope_required'
      ELSE 'admitted'
    END,
    key.key_id, key.account_id, key.environment, key.scope, key.plan, key.webhook_admin
  FROM unnest(key_ids, key_hashes, client_addresses, required_scopes)
    WITH ORDINALITY AS call (key_id, key_hash, client_address, required_scope, ordinal)
  LEFT JOIN access.api_key AS key ON key.key_id = call.key_id AND key.key_hash = call.key_hash
  ORDER BY call.ordinal
$$;
