/** Errors between the archive and its store. Neither says anything about the files. */

/** The store gave no complete answer, in several attempts. The message is a sentence. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The store refuses the call, or lacks a function that an archive needs: a retry changes nothing. The message is a sentence. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError'
}
