-- Failed authentications of the last minutes, told by every instance, so that a client is counted over all of them. Unlogged:
-- what a crash forgets is a minute old at most.
CREATE UNLOGGED TABLE access.auth_failure (
  -- An IPv4 address or an IPv6 /64.
  client text COLLATE "C" NOT NULL,
  failed_at timestamptz NOT NULL
);
CREATE INDEX auth_failure_age ON access.auth_failure (failed_at);

-- Takes in failures that happened `ages_ms` ago and returns who is past the limit, and how long that will be so. Old rows go
-- with every call; rows another instance is deleting are left to it.
CREATE FUNCTION access.exchange_failures(clients text[], ages_ms bigint[], max_per_window int, window_ms bigint, max_rows int)
RETURNS TABLE (client text, blocked_ms bigint) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  now_at timestamptz := clock_timestamp();
  window_start timestamptz := now_at - window_ms * interval '1 millisecond';
BEGIN
  DELETE FROM access.auth_failure WHERE ctid = ANY (ARRAY(
    SELECT f.ctid FROM access.auth_failure AS f WHERE f.failed_at <= window_start LIMIT max_rows FOR UPDATE SKIP LOCKED));
  INSERT INTO access.auth_failure (client, failed_at)
  SELECT told.client, now_at - told.age_ms * interval '1 millisecond' FROM unnest(clients, ages_ms) AS told (client, age_ms);
  RETURN QUERY
    SELECT f.client,
      ceil(extract(epoch FROM (array_agg(f.failed_at ORDER BY f.failed_at DESC))[max_per_window] - window_start) * 1000)::bigint
    FROM access.auth_failure AS f WHERE f.failed_at > window_start
    GROUP BY f.client HAVING count(*) >= max_per_window LIMIT max_rows;
END
$$;
