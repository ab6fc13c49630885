/** Characters of a note or a reason. */
export const MAX_TEXT_LENGTH = 2_000
/** Notes of one case. A case is always read completely; a PDF prints the first ones, and has all of them attached. */
export const MAX_NOTES = 200
/** Entries of one case: the number beyond the notes is reserved for dispositions. */
export const MAX_ENTRIES = 300
