/** The transparency log cannot go on without contradicting what it signed. The message says what to do. */
export class TransparencyStoppedError extends Error {
  override readonly name = 'TransparencyStoppedError'
}
