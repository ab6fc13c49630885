/** Where an archive is kept. A file is there whole or not at all, and never changes. */

export interface ArchiveStore {
  /** For messages. */
  readonly place: string
  /** Whether a writer can lose its hold while it is at work, as one that was stopped for a while in front of a store far away. */
  readonly isShared: boolean
  /** The paths of all files, drafts of writes that were cut off included, in the order of their names. */
  list(): Promise<readonly string[]>
  /** Null where there is no such file. Throws where it has more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer | null>
  /** Writes a file piece by piece; `put` gives it its name when all of it is kept. */
  create(path: string): Promise<Draft>
  /** Removes a file that nothing names. */
  remove(path: string): Promise<void>
  /** Whether a writer is at work. */
  isHeld(): Promise<boolean>
  /** Keeps other writers out until `release`. Throws ArchiveInUseError where another one is at work. */
  hold(): Promise<{ release(): Promise<void> }>
}

export interface Draft {
  write(bytes: Buffer): Promise<void>
  /** `isNew`: throws where the name is taken, also by a writer that was not kept out. */
  put(options?: { readonly isNew?: boolean }): Promise<void>
  discard(): Promise<void>
}

/** Another process writes into the archive. */
export class ArchiveInUseError extends Error {
  override readonly name = 'ArchiveInUseError'
}

/** The archive cannot be used as it is; the message is a sentence that says what to do. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}
