/** The calls of the registration job to a schema registry. Services never call it. */

export interface RegisteredSchema {
  readonly id: number
  /** 1 for the first schema of its subject. */
  readonly version: number
  /** Avro schema as JSON text. */
  readonly schema: string
}

export interface SubjectSchema {
  readonly subject: string
  /** Avro schema as JSON text. */
  readonly schema: string
}

export interface RegisteredSubject extends SubjectSchema {
  /** The id of `schema`. */
  readonly id: number
  /** Every version of the subject, oldest first. */
  readonly versions: readonly RegisteredSchema[]
}

export interface SchemaRegistry {
  /**
   * Registers each schema under FULL_TRANSITIVE, or finds it where it is registered already; resolves in the order of the schemas. Rejects
   * with IncompatibleSchemaError if one cannot read the data of an earlier version, or an earlier version cannot read its data. Schemas of
   * other subjects may have been registered then.
   */
  register(schemas: readonly SubjectSchema[]): Promise<readonly RegisteredSubject[]>
  /** Every subject that has a version. */
  subjects(): Promise<readonly string[]>
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
