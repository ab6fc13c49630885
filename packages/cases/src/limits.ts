/** Characters of a note or a reason. */
export const MAX_TEXT_LENGTH = 2_000
/** Notes of one case. A case is read and printed as a whole. */
export const MAX_NOTES = 200
/** Entries of one case: those beyond the notes are left for dispositions. */
export const MAX_ENTRIES = 300
