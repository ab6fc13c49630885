/** The store of an archive. A file in it is complete or absent, and never changes. */

export interface ArchiveStore {
  /** The name of the store in messages. */
  readonly place: string
  /** Whether a running writer can lose its hold, for example when it was paused while it writes to a remote store. */
  readonly isShared: boolean
  /** The paths of all files in the order of their names, including drafts of interrupted writes. */
  list(): Promise<readonly string[]>
  /** Null if there is no such file. Throws if it has more than `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Buffer | null>
  /** Writes a file in pieces; `put` gives it its name when the store has all of it. */
  create(path: string): Promise<Draft>
  /** Removes a file that no manifest names. */
  remove(path: string): Promise<void>
  /** Whether a writer is at work. */
  isHeld(): Promise<boolean>
  /** Keeps other writers out until `release`. Throws ArchiveInUseError while another one is at work. */
  hold(): Promise<{ release(): Promise<void> }>
}

export interface Draft {
  write(bytes: Buffer): Promise<void>
  /** `isNew`: throws if the name is taken, also by a writer that was not kept out. */
  put(options?: { readonly isNew?: boolean }): Promise<void>
  discard(): Promise<void>
}

/** Another process is writing into the archive. */
export class ArchiveInUseError extends Error {
  override readonly name = 'ArchiveInUseError'
}

/** The archive cannot be used as it is; the message is a sentence that says what to do. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}
