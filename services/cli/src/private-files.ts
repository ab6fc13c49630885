/** Mask of the permissions of new files: none for others. Processes that a command starts write into the home. */
export const PRIVATE = 0o077
