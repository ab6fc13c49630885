/** Where the files of the transparency log are published: a folder, or `s3://bucket/prefix`. Neither is trusted when it is read. */

export interface PublishedStore {
  /** The name of the store in messages. */
  readonly place: string
  /** Null if there is no such file. */
  read(path: string): Promise<Buffer | null>
  /** Writes a whole file that never changes. Throws TransparencyStoppedError, and writes nothing, if other bytes are there. */
  write(path: string, bytes: Buffer): Promise<void>
  /** Writes a whole file over one with this text, or where there was none. False, and nothing is written, if another text is there. */
  replace(path: string, text: string, before: string | null): Promise<boolean>
  /** The names of the files of a folder, in order. */
  list(folder: string): Promise<readonly string[]>
  /** Removes a folder with its files. */
  remove(folder: string): Promise<void>
  /** A folder of this store. */
  within(folder: string): PublishedStore
  /** This store until a signal, which ends the calls that wait for an answer. */
  until(signal: AbortSignal): PublishedStore
}
