-- Partitions of the report topics, which the last two digits of report ids name: recorded when the topics are made, and never changed
-- then. Null: not recorded, as where the topics have the number of a local installation.
ALTER TABLE access.report_number ADD COLUMN partitions int
  CHECK (partitions BETWEEN 2 AND 256 AND partitions & (partitions - 1) = 0);
