-- Bulk jobs are divided into shards. One coordinator at a time holds a shard; an installation that chose no number has one.

CREATE TABLE bulk.shard (
  shard    int4 PRIMARY KEY CHECK (shard >= 0),
  -- Grows whenever the shard is taken, so that a coordinator that lost it can write nothing more of it.
  epoch    int8 NOT NULL DEFAULT 0,
  -- Id and process of the coordinator that took it last.
  holder   text COLLATE "C",
  process  text,
  taken_at timestamptz
);
INSERT INTO bulk.shard (shard) VALUES (0);

-- What each coordinator told the others lately, so that they share one window.
CREATE TABLE bulk.holder (
  holder           text COLLATE "C" PRIMARY KEY,
  shards           int4[] NOT NULL,
  told_at          timestamptz NOT NULL,
  ended_per_second float8 NOT NULL,
  screens          int8 NOT NULL,
  late_screens     int8 NOT NULL,
  was_full         bool NOT NULL,
  -- Accounts with screenings to release here, and how many more there are than are named.
  accounts         text[] NOT NULL,
  further_accounts int4 NOT NULL
);

-- As it was when the job was submitted. Another number of shards takes it modulo that number.
ALTER TABLE bulk.job ADD COLUMN shard int4 NOT NULL DEFAULT 0;
