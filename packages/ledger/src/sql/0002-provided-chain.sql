-- Chains of which a scorer was ever started with a provider of chain data; a provider can contradict the ledger. The empty chain says that
-- scorers tell: without it any chain may have had one. Rows are never deleted.
CREATE TABLE ledger.provided_chain (
  chain    text COLLATE "C" PRIMARY KEY,
  noted_at timestamptz NOT NULL DEFAULT now()
);
