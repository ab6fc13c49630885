-- Sessions of people, who signed in with a key. A session stands for its key: every call with it is judged as a call with that
-- key. Sessions are worth a new sign-in, so they make no events; the calls that begin and end them are in the audit log.
CREATE TABLE access.session (
  session_id text COLLATE "C" PRIMARY KEY,
  -- SHA-256 of the whole token: the token itself is shown once and kept nowhere.
  token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
  key_id text COLLATE "C" NOT NULL REFERENCES access.api_key ON DELETE CASCADE,
  -- Who signed in, where a sign-in service said so; empty for whoever holds the key.
  actor text NOT NULL,
  begun_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- When a call with the session was last judged, correct to a minute.
  used_at timestamptz NOT NULL
);
CREATE INDEX session_key ON access.session (key_id, begun_at);
CREATE INDEX session_expiry ON access.session (expires_at);

-- The keys that sessions stand for, by this server's clock. A session that does not match its hash, has ended or was not used for
-- `idle_ms` is unknown. One row per session that is known.
CREATE FUNCTION access.resolve_sessions(session_ids text[], token_hashes bytea[], idle_ms bigint)
RETURNS TABLE (ordinal int, key_id text, key_hash bytea, actor text, expires_at timestamptz) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  now_at timestamptz := clock_timestamp();
BEGIN
  -- Rows that another statement is changing are left to it: it moves them to the same minute.
  UPDATE access.session AS s SET used_at = now_at
  WHERE s.session_id = ANY (ARRAY(
    SELECT one.session_id
    FROM unnest(session_ids, token_hashes) AS asked (session_id, token_hash)
    JOIN access.session AS one ON one.session_id = asked.session_id AND one.token_hash = asked.token_hash
    WHERE one.expires_at > now_at AND one.used_at > now_at - idle_ms * interval '1 millisecond'
      AND one.used_at <= now_at - interval '1 minute'
    FOR UPDATE OF one SKIP LOCKED));
  RETURN QUERY
    SELECT asked.place::int, k.key_id, k.key_hash, s.actor, s.expires_at
    FROM unnest(session_ids, token_hashes) WITH ORDINALITY AS asked (session_id, token_hash, place)
    JOIN access.session AS s ON s.session_id = asked.session_id AND s.token_hash = asked.token_hash
    JOIN access.api_key AS k ON k.key_id = s.key_id
    WHERE s.expires_at > now_at AND s.used_at > now_at - idle_ms * interval '1 millisecond';
END
$$;
