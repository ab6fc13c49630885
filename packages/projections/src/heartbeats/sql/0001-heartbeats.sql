-- Which processes of the services run. A row belongs to one process, which writes to it every two seconds (docs/adr/0326).
CREATE SCHEMA heartbeats;

CREATE TABLE heartbeats.process (
  service    text COLLATE "C" NOT NULL,
  instance   int4 NOT NULL CHECK (instance >= 0),
  -- Random name of the process that has the number.
  process    uuid NOT NULL,
  host       text NOT NULL,
  -- Of Linux; a pid means one process within it. Empty on other systems.
  pid_namespace text NOT NULL,
  pid        int4 NOT NULL,
  release    text NOT NULL,
  started_at timestamptz NOT NULL,
  seen_at    timestamptz NOT NULL,
  -- Time of the database minus that of the machine, as far as one statement tells.
  skew_ms    int8 NOT NULL,
  -- Names of the checks of readiness that do not pass.
  failing    text[] NOT NULL,
  PRIMARY KEY (service, instance)
) WITH (fillfactor = 50);

-- How many interactive screens a scorer decided since it began, and how many of them waited for longer than the target. Unlogged: a row
-- changes several times a second, and what a crash of the server loses comes with the next message.
CREATE UNLOGGED TABLE heartbeats.dwell (
  -- Random name of the process.
  process      uuid PRIMARY KEY,
  screens      int8 NOT NULL,
  late_screens int8 NOT NULL,
  told_at      timestamptz NOT NULL
) WITH (fillfactor = 50);

-- How far each scorer is with the comparison of all rows of a kind with the log.
CREATE TABLE heartbeats.compared_rows (
  -- Random name of the process.
  process  uuid NOT NULL,
  kind     text COLLATE "C" NOT NULL,
  -- The end of the last whole comparison, or the start of the process.
  whole_at timestamptz NOT NULL,
  -- What keeps the next comparison from ending, as a sentence; null while nothing does.
  fault    text,
  -- How the rows differ from the log, as a sentence; null while no difference was found.
  difference text,
  told_at  timestamptz NOT NULL,
  PRIMARY KEY (process, kind)
) WITH (fillfactor = 50);
