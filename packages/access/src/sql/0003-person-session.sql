-- Sessions of people whom a sign-in service vouches for.
-- The name of the person that never changes, as the service states it; empty for whoever holds the key.
ALTER TABLE access.session ADD COLUMN subject text NOT NULL DEFAULT '';

-- ID tokens that began a session or were refused one: each counts once. They are forgotten once their time refuses them anyway.
CREATE TABLE access.spent_id_token (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  useless_from timestamptz NOT NULL
);
CREATE INDEX spent_id_token_age ON access.spent_id_token (useless_from);

-- As before, with the subject.
DROP FUNCTION access.resolve_sessions(text[], bytea[], bigint);
CREATE FUNCTION access.resolve_sessions(session_ids text[], token_hashes bytea[], idle_ms bigint)
RETURNS TABLE (ordinal int, key_id text, key_hash bytea, actor text, expires_at timestamptz, subject text) LANGUAGE plpgsql VOLATILE AS $$
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
    SELECT asked.place::int, k.key_id, k.key_hash, s.actor, s.expires_at, s.subject
    FROM unnest(session_ids, token_hashes) WITH ORDINALITY AS asked (session_id, token_hash, place)
    JOIN access.session AS s ON s.session_id = asked.session_id AND s.token_hash = asked.token_hash
    JOIN access.api_key AS k ON k.key_id = s.key_id
    WHERE s.expires_at > now_at AND s.used_at > now_at - idle_ms * interval '1 millisecond';
END
$$;
