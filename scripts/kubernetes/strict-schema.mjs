// Turns schemas of Kubernetes into JSON schemas that reject members that they do not name.

/** The schema of a definition with those that it refers to, all of them strict. */
export function withoutReferences(definitions, name) {
  const reached = {}
  const visit = (each) => {
    if (each in reached) return
    reached[each] = strict(definitions[each])
    for (const [, next] of JSON.stringify(definitions[each]).matchAll(/"#\/definitions\/([^"]+)"/g))
      visit(next)
  }
  visit(name)
  return { $ref: `#/definitions/${name}`, definitions: reached }
}

/** An object may have only the members that its schema names, unless the schema says otherwise. */
export function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict)
  if (typeof schema !== 'object' || schema === null) return schema
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string')
    return { type: ['string', 'integer'] }
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, strict(value)]))
  // Formats are names of Go's types here.
  delete copy.format
  // Lines that begin with x-kubernetes- define how servers merge. They do not affect validity.
  for (const name of Object.keys(copy)) if (name.startsWith('x-kubernetes-')) delete copy[name]
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || 'additionalProperties' in schema
  if (typeof schema.properties === 'object' && schema.type !== undefined && !isOpen)
    copy.additionalProperties = false
  return copy
}
