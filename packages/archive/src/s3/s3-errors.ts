/** What goes wrong between the archive and its store. Neither says anything about the files. */

/** The store gave no whole answer, in several attempts. The message is a sentence. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** The store refuses the call, or cannot do what an archive needs: trying again changes nothing. The message is a sentence. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError'
}
