-- The last checkpoint that enough witnesses cosigned. The log may have a longer one by now.
ALTER TABLE transparency.log
  ADD COLUMN cosigned_size int8,
  -- The signed note with the lines of the witnesses.
  ADD COLUMN cosigned text,
  -- When it had enough of them.
  ADD COLUMN cosigned_at timestamptz,
  -- Until then one process asks the witnesses, and others leave it to it.
  ADD COLUMN asked_until timestamptz,
  ADD CHECK (num_nulls(cosigned_size, cosigned, cosigned_at) IN (0, 3)),
  ADD CHECK (cosigned_size <= size);

-- What is known of each witness that is asked.
CREATE TABLE transparency.witness (
  number      int4 NOT NULL REFERENCES transparency.log,
  -- Its verifier key.
  vkey        text COLLATE "C" NOT NULL,
  -- Leaves of the last checkpoint that it cosigned, as far as is known.
  size        int8 NOT NULL DEFAULT 0 CHECK (size >= 0),
  cosigned_at timestamptz,
  -- Of the last try; null where it cosigned.
  failure     text,
  -- Failed tries in a row.
  failures    int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (number, vkey)
);
