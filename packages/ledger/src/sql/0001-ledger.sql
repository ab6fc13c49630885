-- Transfers of value from imported files. Primary tables: they are rebuilt from those files, which each
-- LedgerSegmentImported names by hash, not from the log.
CREATE SCHEMA IF NOT EXISTS ledger;

-- One imported file. Its transfers become visible all at once when it gets a ledger_seq. Those of a killed import stay invisible.
CREATE TABLE ledger.segment (
  segment_id          int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- 1, 2, 3 … in the order of publication; identifies a state of the whole ledger. Null during the import.
  ledger_seq          int8 UNIQUE,
  chain               text NOT NULL,
  format              text NOT NULL,
  file_name           text NOT NULL,
  -- SHA-256 of the file, lowercase hex.
  sha256              text NOT NULL,
  -- Kinds that the declared range covers: native, token.
  covers              text[] NOT NULL,
  -- First and last height for which the file is declared complete; null without a declaration.
  complete_from       int8,
  complete_to         int8,
  complete_to_at_s    int8,
  -- Whether transfers of the declared range that the file does not contain were retired.
  replaces            bool NOT NULL,
  asset_table_version text NOT NULL,
  -- Where an interrupted import continues: the number of stored rows, and counts of their outcomes.
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
  -- First 16 bytes of a hash of (chain, transaction, kind, index), or of the content if a source has no hashes.
  transfer_id        uuid PRIMARY KEY,
  segment_id         int4 NOT NULL,
  -- The segment that proved its execution; null without a proof.
  proven_segment_id  int4,
  -- The segment that reported its failure, and the one that retired it because its block was reorganised away.
  failed_segment_id  int4,
  retired_segment_id int4,
  -- The newest segment that contains it, if one replaces another.
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
  -- Seconds if the time is known, else the height. Queries read the newest transfers first.
  sort_at            int8 NOT NULL
);

CREATE INDEX transfer_from ON ledger.transfer (chain, from_address, sort_at);
CREATE INDEX transfer_to ON ledger.transfer (chain, to_address, sort_at);
