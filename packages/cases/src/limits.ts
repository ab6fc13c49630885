/** Characters of a note or a reason. */
export const MAX_TEXT_LENGTH = 2_000
/** Notes, assignments and files of one case. A case is always read completely; a PDF prints the first ones, and has all of them attached. */
export const MAX_NOTES = 200
/** Entries of one case: the number beyond the notes is reserved for dispositions. */
export const MAX_ENTRIES = 300
/** Characters of the name of a file. */
export const MAX_FILE_NAME_LENGTH = 200
/** Bytes of one file: it is read in one call and held in memory. */
export const MAX_FILE_BYTES = 2_000_000
/** Files of one case. */
export const MAX_FILES = 20
/** Bytes of all files of an account, in both environments. */
export const MAX_ACCOUNT_FILE_BYTES = 268_435_456
/** Files of an account. */
export const MAX_ACCOUNT_FILES = 2_000
