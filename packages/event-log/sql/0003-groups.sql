-- Groups of readers: members share partitions as long as they are alive. Checkpoints live with what the readers write.

CREATE TABLE log.group_member (
  group_name text NOT NULL,
  member_id uuid NOT NULL,
  partition_ids int[] NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (group_name, member_id)
) WITH (fillfactor = 50);

CREATE TABLE log.group_lease (
  group_name text NOT NULL,
  partition_id int NOT NULL,
  member_id uuid NOT NULL,
  PRIMARY KEY (group_name, partition_id),
  FOREIGN KEY (group_name, member_id) REFERENCES log.group_member ON DELETE CASCADE
);
COMMENT ON TABLE log.group_lease IS 'Who reads a partition for a group: valid as long as its member is.';

-- A sign of life. Gives up `released`, takes what is due to the member and free, and tells how things stand:
--   held     read it
--   leaving  held, but due to another member: finish and release it
--   awaited  due to this member, still held by another one
CREATE FUNCTION log.heartbeat(
  of_group text, of_member uuid, subscribed int[], released int[], lease_ms int
) RETURNS TABLE (partition_id int, state text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- Losing the last moment of this in a crash costs a heartbeat, nothing else.
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(hashtextextended('log.group ' || of_group, 0));
  DELETE FROM log.group_member m
  WHERE m.group_name = of_group AND m.member_id <> of_member AND m.expires_at <= clock_timestamp();
  INSERT INTO log.group_member AS m (group_name, member_id, partition_ids, expires_at)
  VALUES (of_group, of_member, subscribed, clock_timestamp() + lease_ms * interval '1 ms')
  ON CONFLICT ON CONSTRAINT group_member_pkey
  DO UPDATE SET partition_ids = excluded.partition_ids, expires_at = excluded.expires_at;
  DELETE FROM log.group_lease l
  WHERE l.group_name = of_group AND l.member_id = of_member AND l.partition_id = ANY (released);
  INSERT INTO log.group_lease (group_name, partition_id, member_id)
  SELECT of_group, d.partition_id, of_member FROM log.due(of_group) d WHERE d.member_id = of_member
  ON CONFLICT DO NOTHING;
  RETURN QUERY
    SELECT d.partition_id,
      CASE WHEN l.member_id = of_member THEN CASE WHEN d.member_id = of_member THEN 'held' ELSE 'leaving' END
           ELSE 'awaited' END
    FROM log.due(of_group) d
    LEFT JOIN log.group_lease l ON l.group_name = of_group AND l.partition_id = d.partition_id
    WHERE of_member IN (l.member_id, d.member_id);
END
$$;

-- Every partition in turn to the next of the members that read it: each member computes the same.
CREATE FUNCTION log.due(of_group text) RETURNS TABLE (partition_id int, member_id uuid)
LANGUAGE sql STABLE AS $$
  SELECT c.partition_id, c.members[1 + (c.place - 1) % cardinality(c.members)]
  FROM (
    SELECT p.id AS partition_id, array_agg(m.member_id ORDER BY m.member_id) AS members,
      row_number() OVER (ORDER BY p.id) AS place
    FROM log.group_member m CROSS JOIN LATERAL unnest(m.partition_ids) AS p (id)
    WHERE m.group_name = of_group
    GROUP BY p.id) c
$$;
