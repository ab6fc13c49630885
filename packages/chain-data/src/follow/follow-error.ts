/** Why blocks of a node cannot be imported. */

export type FollowErrorCode =
  /** The node does not answer, or not in time. */
  | 'node_unavailable'
  /** An answer contradicts itself or another one. */
  | 'node_contradicts'
  /** An answer has a field, a type or a word whose meaning is not known. */
  | 'unknown_meaning'
  /** The node does not keep the block, or what happened in it. */
  | 'pruned'
  /** The node refuses the question. */
  | 'refused'
  | 'wrong_chain'
  /** The newest block of the node is old. */
  | 'node_behind'
  | 'reorganised'
  | 'import_refused'
  | 'lease_lost'

/** The message is a clause for the operator. It never holds the URL of the node, because that may have a key. */
export class FollowError extends Error {
  override readonly name = 'FollowError'
  readonly code: FollowErrorCode

  constructor(code: FollowErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Whether the same question may have another answer later. */
  get mayPass(): boolean {
    return this.code === 'node_unavailable' || this.code === 'node_behind' || this.code === 'node_contradicts'
  }
}
