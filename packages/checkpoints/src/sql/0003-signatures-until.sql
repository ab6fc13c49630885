-- Before which offset a signature was required, where an operator has said that reports without one count again; null while it is
-- required. A partition may have several such ranges, one after another.
ALTER TABLE checkpoints.signatures_required
  ADD COLUMN until_offset int8 CHECK (until_offset >= first_offset),
  DROP CONSTRAINT signatures_required_pkey,
  ADD PRIMARY KEY (log, topic, partition, first_offset);
