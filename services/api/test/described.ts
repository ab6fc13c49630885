/** The API description as tests read it. */
import type { z } from 'zod'
import { openapiDocument } from '../src/index.js'

export interface Media {
  readonly schema: z.core.JSONSchema.JSONSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: Record<string, unknown> }>>
}

export interface DescribedHeader {
  readonly required?: boolean
  readonly schema?: z.core.JSONSchema.JSONSchema
  readonly $ref?: string
}

export interface DescribedResponse {
  readonly headers: Readonly<Record<string, DescribedHeader>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface Operation {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, DescribedResponse>>
}

export const document = JSON.parse(openapiDocument()) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>>
    readonly headers: Readonly<Record<string, DescribedHeader>>
  }
}

export interface Described {
  /** In upper case. */
  readonly method: string
  /** With its parameters in braces. */
  readonly path: string
  readonly operation: Operation
}

export const operations: readonly Described[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

/** The body the description shows for this operation. */
export function exampleOf(method: string, path: string): object {
  const { requestBody } = document.paths[path]![method.toLowerCase()]!
  return requestBody!.content['application/json']!.example as object
}

/** A header of a response, wherever the description keeps it. */
export function headerOf(header: DescribedHeader): DescribedHeader {
  if (header.$ref === undefined) return header
  return document.components.headers[header.$ref.split('/').at(-1)!]!
}
