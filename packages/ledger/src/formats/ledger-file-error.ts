/** The file does not have the stated format. Nothing from it becomes visible. */
export class LedgerFileError extends Error {
  override readonly name = 'LedgerFileError'
  readonly line: number | null
  constructor(message: string, line: number | null, options?: { cause?: unknown }) {
    super(message, options)
    this.line = line
  }
}
