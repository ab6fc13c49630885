-- The name of the person that never changes, where a sign-in service vouches for one; else empty. Second persons are told apart by it.
ALTER TABLE cases.entry ADD COLUMN subject text NOT NULL DEFAULT '';
