/** Errors of a store. Neither says anything about the files. */

/** The store gave no complete answer, in several attempts. The message is a sentence. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The store refuses the call, or lacks a function that is needed: a retry changes nothing. The message is a sentence. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError'
}
