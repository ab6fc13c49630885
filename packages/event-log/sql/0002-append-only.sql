-- Who may not write log.record may still append to it: the function acts as its owner. The role of the services has no other way
-- into the log, so that nothing that was appended can be changed or deleted with it.
ALTER FUNCTION log.append(int[], int[], int[], int[], int[], int[], int[], bytea)
  SECURITY DEFINER SET search_path = pg_catalog, pg_temp;
REVOKE EXECUTE ON FUNCTION log.delete_before(text, int, bigint) FROM PUBLIC;
