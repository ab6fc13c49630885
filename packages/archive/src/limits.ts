/** Limits on the pieces of an archive, so that neither writing nor reading needs memory that grows with the log. */

/** Records of one segment. */
export const MAX_SEGMENT_RECORDS = 100_000
/** Bytes of the records of one segment before they are compressed; a larger single record makes a segment of its own. */
export const MAX_SEGMENT_BYTES = 64 * 1024 * 1024
/** Bytes of the records of one block before they are compressed. A block holds one record at least. */
export const BLOCK_BYTES = 256 * 1024
/** Bytes of one block that a reader accepts: more than the largest record of a log needs. */
export const MAX_BLOCK_BYTES = 8 * 1024 * 1024
/** Segments that one manifest names. After a crash at most this many are written again. */
export const MAX_MANIFEST_SEGMENTS = 32
/** Bytes of a manifest that a reader accepts. */
export const MAX_MANIFEST_BYTES = 64 * 1024 * 1024
/** Bytes of a segment's file that a reader accepts. */
export const MAX_SEGMENT_FILE_BYTES = MAX_SEGMENT_BYTES + 2 * MAX_BLOCK_BYTES
/** Records, and bytes of their values, that are restored with one append. */
export const MAX_RESTORED_RECORDS = 500
export const MAX_RESTORED_BYTES = 1024 * 1024
/** Milliseconds for which a killed run keeps others out of a store. A running one renews it three times as often. */
export const LEASE_MS = 60_000
/** Rows of one group of a Parquet file. */
export const MAX_PARQUET_ROWS = 20_000
/** Bytes of the values of all rows that wait for their groups while Parquet files are written. */
export const MAX_PARQUET_WAITING_BYTES = 32 * 1024 * 1024
