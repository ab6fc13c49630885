/** The file does not have the stated format. Nothing from it becomes visible. */
export class LedgerFileError extends Error {
  override readonly name: string = 'LedgerFileError'
  readonly line: number | null
  constructor(message: string, line: number | null, options?: { cause?: unknown }) {
    super(message, options)
    this.line = line
  }
}

/** One row has a meaning that is not certain. The row is refused, and the range that it lies in is not complete. */
export class UnreadableRowError extends LedgerFileError {
  override readonly name = 'UnreadableRowError'
}
