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
  -- Kinds that the declared range covers: native, internal, token.
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
  -- What this import changed in the sums of the rows of all imports (see below), after every batch.
  row_sums            numeric(38, 0)[] NOT NULL DEFAULT '{0,0,0,0,0}',
  published_at        text,
  imported_by         text NOT NULL,
  -- A file with what a provider said of one address: its range holds for that address only. All null for other files.
  history_address     text COLLATE "C",
  history_provider    text COLLATE "C",
  -- The newest block that the provider knew then; the hash is empty if the provider does not tell it.
  history_height      int8,
  history_hash        text,
  history_at_s        int8,
  -- Why it is not whole; empty if it is.
  history_incomplete  text[],
  UNIQUE NULLS NOT DISTINCT (chain, format, sha256, covers, complete_from, complete_to, replaces, history_address, history_provider,
    history_height)
);

CREATE INDEX segment_history ON ledger.segment (chain, history_address) WHERE history_address IS NOT NULL;
-- Histories are many, and hold for one address each.
CREATE INDEX segment_of_chain ON ledger.segment (chain, ledger_seq) WHERE history_address IS NULL;

-- Calls to providers of histories on one UTC day, and when the next one may be made.
CREATE TABLE ledger.history_call (
  provider text COLLATE "C" PRIMARY KEY,
  day      date NOT NULL,
  calls    int4 NOT NULL,
  next_at  timestamptz NOT NULL
);

-- Those of each account.
CREATE TABLE ledger.history_call_of_account (
  provider   text COLLATE "C" NOT NULL,
  account_id text COLLATE "C" NOT NULL,
  day        date NOT NULL,
  calls      int4 NOT NULL,
  PRIMARY KEY (provider, account_id)
);

-- How far the readings of histories are that were begun for a screened address of an account. Rows live a day.
CREATE TABLE ledger.history_progress (
  account_id     text COLLATE "C" NOT NULL,
  chain          text COLLATE "C" NOT NULL,
  address        text COLLATE "C" NOT NULL,
  -- reading, read or failed.
  state          text NOT NULL,
  reason         text NOT NULL,
  provider       text NOT NULL,
  pages          int4 NOT NULL,
  pages_expected int4,
  waiting        int4 NOT NULL,
  -- Whoever reads tells it again every few seconds: an old row is that of a dead process.
  told_at        timestamptz NOT NULL,
  PRIMARY KEY (account_id, chain, address)
);
CREATE INDEX history_progress_age ON ledger.history_progress (told_at);

-- Runs of imports that write transfers to ClickHouse. A row there names its run and its writing, and counts if this table says so.
CREATE TABLE ledger.store_run (
  run            int4 PRIMARY KEY,
  segment_id     int4 NOT NULL,
  -- The last writing whose transaction was committed.
  last_write     int4 NOT NULL DEFAULT 0,
  -- Of a run that ended early, how many of its writings count. Null: all.
  counted_writes int4,
  -- Drawn at random, and known to the ClickHouse that the run writes to: another one, whose runs have the same numbers, does not know it.
  run_key        uuid NOT NULL DEFAULT gen_random_uuid()
);
CREATE INDEX store_run_of_segment ON ledger.store_run (segment_id);
CREATE INDEX store_run_cut ON ledger.store_run (run) WHERE counted_writes IS NOT NULL;

-- Numbers of addresses, and of contracts of tokens that count: rows of transfers name them by number. A number is given once, and means nothing
-- outside of this database.
CREATE TABLE ledger.address (
  address_id int4 GENERATED ALWAYS AS IDENTITY PRIMARY KEY WITH (fillfactor = 100),
  chain      text COLLATE "C" NOT NULL,
  address    text COLLATE "C" NOT NULL
);

-- A third of the bytes of an index of the texts. Whoever gives numbers holds a lock, so that an address gets one; a look-up that finds two fails.
CREATE INDEX address_text ON ledger.address (hashtextextended(address, 0)) WITH (fillfactor = 100);

CREATE TABLE ledger.contract (
  contract_id int2 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  chain       text COLLATE "C" NOT NULL,
  contract    text COLLATE "C" NOT NULL,
  UNIQUE (chain, contract)
);

-- Value that was made or destroyed has the empty address, or one without an owner, on one side. It has no counterparty.
-- Columns lie in the order of their alignment, so that no byte between them is lost. The chain is that of the segment and of the addresses.
CREATE TABLE ledger.transfer (
  -- Place in the block: the index of the transaction (below), then the place of the log or the call.
  place              int8,
  from_id            int4 NOT NULL,
  to_id              int4 NOT NULL,
  segment_id         int4 NOT NULL,
  -- The segment that proved its execution; null without a proof.
  proven_segment_id  int4,
  -- The segment that reported its failure, and the one that retired it because its block was reorganised away.
  failed_segment_id  int4,
  retired_segment_id int4,
  -- The newest segment that contains it, if one replaces another; null if that is its own segment.
  seen_segment_id    int4,
  block_number       int4,
  -- Null if its file states no time; then the time of its block counts, if a file of blocks tells it.
  occurred_at_s      int4,
  tx_index           int4,
  -- Contract of the token; null for the native asset.
  contract_id        int2,
  -- The first letter: native, internal, token, utxo.
  kind               "char" NOT NULL,
  -- First 16 bytes of a hash of (chain, transaction, kind, index), or of the content if a source has no hashes.
  transfer_id        uuid NOT NULL,
  -- Base units.
  amount             numeric(78, 0) NOT NULL,
  -- See `ledger.tx_hash_text`.
  tx_hash            bytea NOT NULL,
  -- Of transactions with inputs and outputs: what the transaction changed in the balance of the sender and of the receiver, in
  -- base units. Each address has its change on one transfer of the transaction; on a transfer of no value to or from the empty
  -- address if it has no other.
  from_net           numeric(78, 0),
  to_net             numeric(78, 0),
  -- The states from the first of these segments to before the second one do not have it: it was retired, and told again.
  absent_segment_id   int4,
  restored_segment_id int4,
  -- The block in which another file tells it: it moves there if a file that replaces its range does not contain it.
  other_segment_id   int4,
  other_block        int4,
  other_at_s         int4,
  other_tx_index     int4,
  other_place        int8,
  -- Two segments for each earlier time that it was absent: the one that retired it, and the one that restored it.
  earlier_gaps       int4[]
);

CREATE INDEX transfer_elsewhere ON ledger.transfer (block_number) WHERE other_segment_id IS NOT NULL;

-- Which addresses a segment touches. Rows lie in the order of their segments, so that a summary of each range of pages is enough.
CREATE INDEX transfer_of_segment ON ledger.transfer
  USING brin (segment_id, proven_segment_id, failed_segment_id, retired_segment_id, restored_segment_id, block_number) WITH (pages_per_range = 32, autosummarize = on);

-- Only code makes internal calls.
CREATE INDEX transfer_code ON ledger.transfer (from_id) WHERE kind = 'i';

-- Calls of which only the place of their transaction is known, and those of which only the hash is.
CREATE INDEX transfer_call ON ledger.transfer (block_number, tx_index) WHERE kind = 'i' AND tx_hash = '';
CREATE INDEX transfer_nameless ON ledger.transfer (block_number, tx_index)
  WHERE kind = 'i' AND tx_hash = '' AND retired_segment_id IS NULL;
CREATE INDEX transfer_placeless ON ledger.transfer (block_number) WHERE kind = 'i' AND tx_hash <> '' AND tx_index IS NULL;

-- The text of a hash of a transaction. Its first byte tells the notation: 0 as it is, 1 hexadecimal, 2 hexadecimal after 0x. No bytes for no hash.
CREATE FUNCTION ledger.tx_hash_text(hash bytea) RETURNS text LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT CASE WHEN hash = '' THEN '' ELSE CASE get_byte(hash, 0)
    WHEN 0 THEN convert_from(substr(hash, 2), 'UTF8') WHEN 1 THEN encode(substr(hash, 2), 'hex') ELSE '0x' || encode(substr(hash, 2), 'hex') END END
$$;

-- The index that tells which transfers are known. The first file leaves it for later. Whoever imports may build it.
CREATE FUNCTION ledger.index_ids() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF to_regclass('ledger.transfer_id') IS NULL THEN
    CREATE UNIQUE INDEX IF NOT EXISTS transfer_id ON ledger.transfer (transfer_id) WITH (fillfactor = 100);
  END IF;
END $$;

-- The indexes that an import does not need. A quarter of the work builds them at once after the first file, instead of with each of its rows.
CREATE FUNCTION ledger.index_transfers() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF to_regclass('ledger.transfer_to') IS NULL THEN
    -- Entries that came one by one fill two thirds of their pages. Another import locks addresses before transfers too.
    REINDEX INDEX ledger.address_text;
  END IF;
  PERFORM ledger.index_ids();
  IF to_regclass('ledger.transfer_to') IS NULL THEN
    -- An entry has only the number, so that Postgres stores the entries of an address as one list.
    CREATE INDEX IF NOT EXISTS transfer_from ON ledger.transfer (from_id) WITH (fillfactor = 100);
    CREATE INDEX IF NOT EXISTS transfer_to ON ledger.transfer (to_id) WITH (fillfactor = 100);
  END IF;
  -- Transfers that tell which transaction is at a place. Only calls without a hash ask for it.
  IF to_regclass('ledger.transfer_block') IS NULL
    AND EXISTS (SELECT FROM ledger.transfer WHERE kind = 'i' AND tx_hash = '' AND retired_segment_id IS NULL) THEN
    CREATE INDEX IF NOT EXISTS transfer_block ON ledger.transfer (block_number) WHERE tx_hash <> '' AND tx_index IS NOT NULL;
  END IF;
END $$;

SELECT ledger.index_transfers();

-- Leaves these indexes for later if the ledger is empty, and tells whether it did: no state of it needs them, and no state gets its number without
-- them.
CREATE FUNCTION ledger.leave_indexes() RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM ledger.transfer)
    OR NOT (SELECT pg_has_role(relowner, 'USAGE') FROM pg_class WHERE oid = 'ledger.transfer'::regclass) THEN
    RETURN false;
  END IF;
  LOCK TABLE ledger.transfer IN ACCESS EXCLUSIVE MODE;
  -- An import of another chain may have ended meanwhile.
  IF EXISTS (SELECT FROM ledger.transfer) THEN
    RETURN false;
  END IF;
  DROP INDEX IF EXISTS ledger.transfer_id, ledger.transfer_from, ledger.transfer_to, ledger.transfer_block;
  RETURN true;
END $$;

-- The transaction at a place that no transfer of its file tells, for calls without a hash.
CREATE TABLE ledger.transaction_place (
  block_number int4 NOT NULL,
  tx_index     int4 NOT NULL,
  segment_id   int4 NOT NULL,
  chain        text COLLATE "C" NOT NULL,
  tx_hash      bytea NOT NULL,
  PRIMARY KEY (chain, block_number, tx_index)
);

-- Times of blocks, for transfers and ranges whose files have none.
CREATE TABLE ledger.block (
  chain      text COLLATE "C" NOT NULL,
  height     int8 NOT NULL,
  at_s       int8 NOT NULL,
  segment_id int4 NOT NULL,
  PRIMARY KEY (chain, height, at_s)
);

-- Two addresses that a transaction spent from, in both directions: the one of all its inputs that sorts first, and another one.
-- Rows are never deleted: the rows of the segments up to a ledger_seq give the clusters of that state.
CREATE TABLE ledger.cluster_join (
  chain      text COLLATE "C" NOT NULL,
  address    text COLLATE "C" NOT NULL,
  other      text COLLATE "C" NOT NULL,
  tx_hash    text COLLATE "C" NOT NULL,
  segment_id int4 NOT NULL,
  PRIMARY KEY (chain, address, other)
);

CREATE INDEX cluster_join_of_segment ON ledger.cluster_join USING brin (segment_id) WITH (pages_per_range = 32, autosummarize = on);

-- Addresses by their look-up key, on chains where one key has several addresses: such addresses have one owner. Rows are never deleted.
CREATE TABLE ledger.owner_address (
  chain      text COLLATE "C" NOT NULL,
  owner_key  text COLLATE "C" NOT NULL,
  address    text COLLATE "C" NOT NULL,
  segment_id int4 NOT NULL,
  PRIMARY KEY (chain, address)
);

CREATE INDEX owner_address_of_key ON ledger.owner_address (chain, owner_key);
CREATE INDEX owner_address_of_segment ON ledger.owner_address USING brin (segment_id) WITH (pages_per_range = 32, autosummarize = on);

-- Daily prices. A table is named by the hash of its prices; the newest import is in force.
CREATE TABLE ledger.price_import (
  price_seq   int8 PRIMARY KEY,
  sha256      text NOT NULL,
  file_name   text NOT NULL,
  prices      int8 NOT NULL,
  assets      text[] NOT NULL,
  first_day   text NOT NULL,
  last_day    text NOT NULL,
  imported_at text NOT NULL,
  imported_by text NOT NULL
);

CREATE TABLE ledger.price (
  sha256    text NOT NULL,
  asset     text COLLATE "C" NOT NULL,
  -- UTC day, 2026-11-22.
  day       text COLLATE "C" NOT NULL,
  -- Millionths of a US dollar for one whole unit.
  micro_usd numeric(38, 0) NOT NULL,
  PRIMARY KEY (sha256, asset, day)
);

-- Chains of which a scorer was ever started with a provider of chain data; a provider can contradict the ledger. The empty chain says that
-- scorers tell: without it any chain may have had one. Rows are never deleted.
CREATE TABLE ledger.provided_chain (
  chain    text COLLATE "C" PRIMARY KEY,
  noted_at timestamptz NOT NULL DEFAULT now()
);

-- Rows whose meaning is not certain. None of their values is in the ledger, so the declared ranges that they lie in are not complete.
CREATE TABLE ledger.unreadable_row (
  segment_id int4 NOT NULL,
  line       int8 NOT NULL,
  -- Null if the row does not state it: then it may lie anywhere in the range of its file.
  height     int8,
  -- Kinds of transfers that the row may hold: native, internal, token.
  kinds      text[] NOT NULL,
  message    text NOT NULL,
  PRIMARY KEY (segment_id, line)
);

-- Transfers of tokens outside the asset table. Anyone can emit their events, so they do not count and only a report shows them.
CREATE TABLE ledger.unknown_token (
  transfer_id  uuid PRIMARY KEY,
  segment_id   int4 NOT NULL,
  chain        text COLLATE "C" NOT NULL,
  from_address text COLLATE "C" NOT NULL,
  to_address   text COLLATE "C" NOT NULL,
  contract     text COLLATE "C" NOT NULL,
  -- Base units; their decimals are not known.
  amount       numeric(78, 0) NOT NULL
);

CREATE INDEX unknown_token_from ON ledger.unknown_token (chain, from_address);
CREATE INDEX unknown_token_to ON ledger.unknown_token (chain, to_address);
CREATE INDEX unknown_token_contract ON ledger.unknown_token (chain, contract);
CREATE INDEX unknown_token_of_segment ON ledger.unknown_token USING brin (segment_id) WITH (pages_per_range = 32, autosummarize = on);

-- The sums of rows: their number, and the SHA-256 of each row in four whole numbers, each added up over all rows. A publication states what its import
-- changed in them, so rows that somebody else altered, added or removed are found. `told`: the name of the table and the row as UTF-8,
-- without its last columns that are null: a later column that is null in earlier rows keeps their sums.
CREATE FUNCTION ledger.row_sums(told bytea[]) RETURNS numeric[] LANGUAGE sql STABLE AS $$
  SELECT ARRAY[count(*), coalesce(sum(hash::bit(64)::int8), 0), coalesce(sum((hash << 64)::bit(64)::int8), 0),
    coalesce(sum((hash << 128)::bit(64)::int8), 0), coalesce(sum((hash << 192)::bit(64)::int8), 0)]
  FROM (SELECT ('x' || encode(sha256(one), 'hex'))::bit(256) AS hash FROM unnest(told) AS one OFFSET 0) AS hashes
$$;

-- Bytes are trimmed several times faster than text.
CREATE FUNCTION ledger.told_row(name text, line text) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT rtrim(convert_to(name || line, 'UTF8'), ',)'::bytea)
$$;

-- Tells the transaction what a statement changes in the sums. Only an import reads it. It sums up most of the rows that it inserts itself, and
-- sets cupel.ledger_told.
CREATE FUNCTION ledger.note_rows() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  noted text := coalesce(current_setting('cupel.ledger_rows', true), '');
BEGIN
  noted := noted || ' +' || ledger.row_sums(ARRAY(SELECT ledger.told_row(TG_TABLE_NAME, t::text) FROM gained t))::text;
  IF TG_OP = 'UPDATE' THEN
    noted := noted || ' -' || ledger.row_sums(ARRAY(SELECT ledger.told_row(TG_TABLE_NAME, t::text) FROM lost t))::text;
  END IF;
  PERFORM set_config('cupel.ledger_rows', noted, true);
  RETURN NULL;
END $$;

DO $$
DECLARE
  filled text;
BEGIN
  FOREACH filled IN ARRAY ARRAY['address', 'contract', 'transfer', 'transaction_place', 'block', 'cluster_join', 'owner_address', 'unreadable_row', 'unknown_token', 'store_run'] LOOP
    EXECUTE format('CREATE TRIGGER note_inserted AFTER INSERT ON ledger.%I REFERENCING NEW TABLE AS gained
      FOR EACH STATEMENT %s EXECUTE FUNCTION ledger.note_rows()', filled,
      CASE WHEN filled IN ('address', 'contract', 'transfer')
        THEN $when$WHEN (current_setting('cupel.ledger_told', true) IS DISTINCT FROM 'on')$when$ ELSE '' END);
    EXECUTE format('CREATE TRIGGER note_updated AFTER UPDATE ON ledger.%I REFERENCING OLD TABLE AS lost NEW TABLE AS gained
      FOR EACH STATEMENT EXECUTE FUNCTION ledger.note_rows()', filled);
  END LOOP;
END $$;

-- How far a process compared segments and prices with the log: the next one goes on from there. Believed only with its MAC.
CREATE TABLE ledger.compared (
  one  bool PRIMARY KEY CHECK (one),
  text text NOT NULL,
  mac  text NOT NULL
);

-- The followers of nodes. Where a follower goes on follows from the declared ranges; this tells whether it runs, and how far it is behind.
CREATE TABLE ledger.follower (
  chain         text COLLATE "C" PRIMARY KEY,
  seen_at       timestamptz NOT NULL,
  -- First height that is not imported.
  next_height   int8 NOT NULL,
  -- Newest block of the node; null before its first answer.
  head_height   int8,
  head_at_s     int8,
  -- Time of the last imported block; null before the first one.
  imported_at_s int8,
  -- Why it cannot go on; null while it can.
  fault         text,
  -- Whether that is because blocks of the ledger were replaced.
  is_reorganised boolean NOT NULL DEFAULT false
);
