/** The API description as the pages read it: an OpenAPI document as `describeApi` makes it. */
export type Json = Readonly<Record<string, unknown>>

export interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly summary?: string; readonly value: unknown }>>
}
export interface Schema extends Json {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
}
export interface Header {
  readonly $ref?: string
  readonly description?: string
}
export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, Media>>
}
export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Response>>
}
export interface Description {
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
  }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  /** Messages that the service sends. */
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly headers: Readonly<Record<string, Header>>
  }
}

export interface Entry {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The operations in the order of the description. */
export function entriesOf(description: Description): readonly Entry[] {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
}
