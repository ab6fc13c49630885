/** The calls of the registration job to a schema registry. Services never call it. */

export interface RegisteredSchema {
  readonly id: number
  /** 1 for the first schema of its subject. */
  readonly version: number
  /** Avro schema as JSON text. */
  readonly schema: string
}

export interface SchemaRegistry {
  /**
   * Registers a schema under FULL_TRANSITIVE, or finds an already registered one; resolves to its id. Rejects with IncompatibleSchemaError
   * if it cannot read the data of an earlier version, or an earlier version cannot read its data.
   */
  register(subject: string, schema: string): Promise<number>
  /** Every version of the subject, oldest first; empty for an unknown subject. */
  versions(subject: string): Promise<readonly RegisteredSchema[]>
}

/** A schema would break readers of old records or old readers of new ones. The sentence names the place. */
export class IncompatibleSchemaError extends Error {
  override readonly name = 'IncompatibleSchemaError'
  readonly subject: string
  constructor(subject: string, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.subject = subject
  }
}
