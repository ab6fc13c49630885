-- Schemas of the events, copied here by the registration job so that no service needs the registry to start or to read.
CREATE SCHEMA log;

CREATE TABLE log.schema (
  id int PRIMARY KEY,
  definition text NOT NULL
);
COMMENT ON TABLE log.schema IS 'Avro schemas by the id that stands before every payload.';

CREATE TABLE log.schema_version (
  subject text NOT NULL,
  version int NOT NULL CHECK (version > 0),
  schema_id int NOT NULL REFERENCES log.schema (id),
  sha256 text NOT NULL,
  registered_at timestamptz NOT NULL DEFAULT now(),
  -- By text, not by version: a registry may return one version in another notation.
  PRIMARY KEY (subject, sha256)
);
CREATE INDEX ON log.schema_version (subject, version);
COMMENT ON COLUMN log.schema_version.sha256 IS
  'Of the schema as compact JSON: a service finds the id of exactly the schema it was built with.';

-- The log on Postgres: partitions of records with offsets from 0, without gaps, visible in order.

CREATE TABLE log.identity (
  singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  log_id uuid NOT NULL DEFAULT gen_random_uuid(),
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE log.identity IS 'Identifies this log, together with the genesis record.';
INSERT INTO log.identity DEFAULT VALUES;

CREATE TABLE log.topic_partition (
  id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  topic text NOT NULL,
  partition int NOT NULL CHECK (partition >= 0),
  start_offset bigint NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (topic, partition)
);
COMMENT ON COLUMN log.topic_partition.topic IS 'With the prefix of its installation.';
COMMENT ON COLUMN log.topic_partition.start_offset IS
  'Oldest offset that can still be read; moved only by log.delete_before.';

-- No foreign key: log.append locks the partition's row, which proves that it exists, once per write instead of once per record.
CREATE TABLE log.record (
  partition_id int NOT NULL,
  record_offset bigint NOT NULL,
  appended_at timestamptz NOT NULL DEFAULT now(),
  key text NOT NULL,
  headers json NOT NULL,
  value bytea NOT NULL,
  PRIMARY KEY (partition_id, record_offset)
) WITH (toast_tuple_target = 8160);
-- Values of a few kilobytes stay in the row: compressing them costs more than it saves.

CREATE FUNCTION log.end_offset(wanted int) RETURNS bigint
LANGUAGE sql STABLE AS $$
  -- greatest() ignores the null of a partition without records.
  SELECT greatest(p.start_offset, (
    SELECT r.record_offset + 1 FROM log.record r
    WHERE r.partition_id = p.id ORDER BY r.record_offset DESC LIMIT 1))
  FROM log.topic_partition p WHERE p.id = wanted
$$;
COMMENT ON FUNCTION log.end_offset IS
  'Offset the next record will get. Read from the index, not from a counter: a counter row updated by every append grows a chain of dead versions under each long snapshot.';

-- Appends records of several partitions in one round trip and one short transaction.
--   partition_ids    the partitions touched, each once
--   record_partition per record: index into partition_ids, from 1
--   record_ordinal   per record: its place among the records of its partition, from 0
--   record_start     per record: where it begins in `packed`, from 1: key, headers (JSON), value, in UTF-8 and raw bytes
-- Returns the first new offset of each of partition_ids.
-- Who may not write log.record may still append to it: the function acts as its owner. The role of the services has no other way
-- into the log, so that nothing that was appended can be changed or deleted with it.
CREATE FUNCTION log.append(
  partition_ids int[], record_partition int[], record_ordinal int[],
  record_start int[], key_bytes int[], header_bytes int[], value_bytes int[], packed bytea
) RETURNS bigint[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  locked int;
  first_offsets bigint[];
  start_offset bigint;
  end_offset bigint;
BEGIN
  -- An acknowledged record survives a crash of the server, whatever the default of the installation is.
  IF current_setting('synchronous_commit') = 'off' THEN
    PERFORM set_config('synchronous_commit', 'on', true);
  END IF;
  -- Under a stricter isolation the snapshot would be older than the locks, and offsets would be given twice.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'log.append needs the isolation level read committed';
  END IF;
  -- At low load most appends are of one record. Statements without arrays take four fifths of the processor time.
  IF cardinality(partition_ids) = 1 AND cardinality(record_partition) = 1 THEN
    SELECT p.start_offset INTO start_offset FROM log.topic_partition p WHERE p.id = partition_ids[1] FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a partition of the append does not exist' USING ERRCODE = 'no_data_found';
    END IF;
    SELECT r.record_offset + 1 INTO end_offset FROM log.record r
    WHERE r.partition_id = partition_ids[1] ORDER BY r.record_offset DESC LIMIT 1;
    end_offset := greatest(start_offset, end_offset);
    INSERT INTO log.record (partition_id, record_offset, key, headers, value) VALUES (
      partition_ids[1], end_offset,
      convert_from(substring(packed FROM 1 FOR key_bytes[1]), 'UTF8'),
      convert_from(substring(packed FROM 1 + key_bytes[1] FOR header_bytes[1]), 'UTF8')::json,
      substring(packed FROM 1 + key_bytes[1] + header_bytes[1] FOR value_bytes[1]));
    RETURN ARRAY[end_offset];
  END IF;
  -- An append waits here until the one before it to the same partition has committed, so offsets become visible in order.
  -- Partitions are locked in ascending order, so that two appends cannot wait for each other.
  SELECT count(*) INTO locked FROM (
    SELECT id FROM log.topic_partition WHERE id = ANY (partition_ids) ORDER BY id FOR NO KEY UPDATE) held;
  IF locked <> cardinality(partition_ids) THEN
    RAISE EXCEPTION 'a partition of the append does not exist' USING ERRCODE = 'no_data_found';
  END IF;
  -- A separate statement, so that its snapshot is younger than the locks.
  SELECT array_agg(log.end_offset(wanted.id) ORDER BY wanted.place) INTO first_offsets
  FROM unnest(partition_ids) WITH ORDINALITY AS wanted (id, place);
  INSERT INTO log.record (partition_id, record_offset, key, headers, value)
  SELECT
    partition_ids[r.place],
    first_offsets[r.place] + r.ordinal,
    convert_from(substring(packed FROM r.start FOR r.key_length), 'UTF8'),
    convert_from(substring(packed FROM r.start + r.key_length FOR r.header_length), 'UTF8')::json,
    substring(packed FROM r.start + r.key_length + r.header_length FOR r.value_length)
  FROM unnest(record_partition, record_ordinal, record_start, key_bytes, header_bytes, value_bytes)
    AS r (place, ordinal, start, key_length, header_length, value_length);
  RETURN first_offsets;
END
$$;

-- Deletes old records. Readers that still need them stop with an error.
CREATE FUNCTION log.delete_before(wanted_topic text, wanted_partition int, before bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  wanted int;
BEGIN
  SELECT id INTO STRICT wanted FROM log.topic_partition
  WHERE topic = wanted_topic AND partition = wanted_partition FOR NO KEY UPDATE;
  UPDATE log.topic_partition SET start_offset = greatest(start_offset, least(before, log.end_offset(wanted)))
  WHERE id = wanted;
  DELETE FROM log.record WHERE partition_id = wanted AND record_offset < before;
END
$$;
REVOKE EXECUTE ON FUNCTION log.delete_before(text, int, bigint) FROM PUBLIC;

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

-- A heartbeat. Frees `released`, takes free partitions that are due to the member, and returns the state of each:
--   held     read it
--   leaving  held, but due to another member: finish and release it
--   awaited  due to this member, still held by another one
CREATE FUNCTION log.heartbeat(
  of_group text, of_member uuid, subscribed int[], released int[], lease_ms int
) RETURNS TABLE (partition_id int, state text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- A crash that loses this commit costs one heartbeat.
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

-- Assigns the partitions to the members that read them, in turn: each member computes the same.
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

-- The keys of MACs, and the logs whose records have them. Only the owner of the schema writes these tables: the role of the services reads
-- them, and nothing in the log changes them.

CREATE TABLE log.record_key (
  key_id text PRIMARY KEY,
  registered_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE log.record_key IS
  'The keys that every process of this installation must have before it reads: without one of them it would take true records for forged ones.';

CREATE TABLE log.own_log (
  log_id text PRIMARY KEY,
  registered_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE log.own_log IS 'The identities of the logs of this installation. No process reads another one.';

-- Set while a log is made from an archive, and until database and log were brought together: no service starts meanwhile.
CREATE TABLE log.restoration (
  log_id text PRIMARY KEY,
  archive text NOT NULL,
  manifest bigint NOT NULL CHECK (manifest > 0),
  is_whole boolean NOT NULL DEFAULT false,
  began_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE log.restoration IS 'The archive that the log is made from. `cupel restore` deletes the row.';
COMMENT ON COLUMN log.restoration.archive IS 'Identity of the log that the archive holds.';
COMMENT ON COLUMN log.restoration.is_whole IS 'Whether every record of the archive is in the log.';
