/** Parses Avro schemas with one set of options, so that all parts agree on the values. */
import { createHash } from 'node:crypto'
import avro from 'avsc'

export type AvroType = avro.Type

/** Values of `["null", "string"]` are plain strings or null; records are plain objects without methods. */
export function avroType(schema: string): AvroType {
  const options: Partial<avro.ForSchemaOptions> = { wrapUnions: 'never', omitRecordMethods: true }
  return avro.Type.forSchema(JSON.parse(schema) as avro.Schema, options)
}

/** SHA-256, lowercase hex, of the schema as compact JSON: white space does not change it. */
export function schemaSha256(schema: string): string {
  return createHash('sha256')
    .update(JSON.stringify(JSON.parse(schema)))
    .digest('hex')
}

/** Why data written with `writer` cannot be read with `reader`; null if it can (Avro specification, schema resolution). */
export function unreadable(reader: AvroType, writer: AvroType): string | null {
  try {
    reader.createResolver(writer)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Fingerprint of the parsing canonical form: equal if equal bytes mean equal values. */
export function binaryForm(schema: string): string {
  return avroType(schema).fingerprint('sha256').toString('hex')
}
