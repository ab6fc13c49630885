-- Transfers of value as files told them. Primary tables: they are rebuilt from those files, which every
-- LedgerSegmentImported names by hash, not from the log.
CREATE SCHEMA IF NOT EXISTS ledger;

-- One imported file. Its transfers are seen once it has a ledger_seq: all at once, and never those of a killed import.
CREATE TABLE ledger.segment (
  segment_id          int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- 1, 2, 3 … in the order of publication: names a state of the whole ledger. Null while importing.
  ledger_seq          int8 UNIQUE,
  chain               text NOT NULL,
  format              text NOT NULL,
  file_name           text NOT NULL,
  -- SHA-256 of the file, lowercase hex.
  sha256              text NOT NULL,
  -- Kinds that a declared range speaks of: native, token.
  covers              text[] NOT NULL,
  -- Heights over which the file is declared to hold everything; null where nothing was declared.
  complete_from       int8,
  complete_to         int8,
  complete_to_at_s    int8,
  -- Whether transfers of the declared range that the file does not hold were retired.
  replaces            bool NOT NULL,
  asset_table_version text NOT NULL,
  -- Where an interrupted import goes on: rows of the file that are in, and what became of them.
  rows_done           int8 NOT NULL DEFAULT 0,
  counts              jsonb NOT NULL DEFAULT '{}',
  first_height        int8,
  last_height         int8,
  last_at_s           int8,
  started_at          timestamptz NOT NULL DEFAULT now(),
  published_at        text,
  imported_by         text NOT NULL,
  UNIQUE NULLS NOT DISTINCT (chain, format, sha256, complete_from, complete_to, replaces)
);

CREATE TABLE ledger.transfer (
  -- The first 16 bytes of a hash of (chain, transaction, kind, index), or of what it says where a source has no hashes.
  transfer_id        uuid PRIMARY KEY,
  segment_id         int4 NOT NULL,
  -- The segment that proved its execution; null while nothing does.
  proven_segment_id  int4,
  -- The segment that told that it failed, and the one that withdrew it because its block was reorganised away.
  failed_segment_id  int4,
  retired_segment_id int4,
  -- The newest segment that holds it, where one replaces another.
  seen_segment_id    int4 NOT NULL,
  chain              text COLLATE "C" NOT NULL,
  from_address       text COLLATE "C" NOT NULL,
  to_address         text COLLATE "C" NOT NULL,
  kind               text NOT NULL,
  -- Contract of the token; empty for the native asset.
  contract           text NOT NULL,
  tx_hash            text NOT NULL,
  -- Base units.
  amount             numeric(78, 0) NOT NULL,
  block_number       int8,
  occurred_at_s      int8,
  place              int8,
  -- Seconds where the time is known, else the height: the newest are read first.
  sort_at            int8 NOT NULL
);

CREATE INDEX transfer_from ON ledger.transfer (chain, from_address, sort_at);
CREATE INDEX transfer_to ON ledger.transfer (chain, to_address, sort_at);
