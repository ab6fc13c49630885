/**
 * Batches are committed without a wait for the disk, and the lock of the chain ends with its connection: a crash of the database may lose the last
 * ones, and another import of the chain may take rows over. Then the segment in the database is at another position.
 */
export const otherPosition = (): Error =>
  new Error(
    'The database lost rows of this import, or another import of the chain began meanwhile: import the file again',
  )
