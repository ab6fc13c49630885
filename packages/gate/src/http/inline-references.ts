/** A description in which some kinds of components stand where they are referred to, for readers that look at one operation. */

/** `kinds`: members of `components`, such as `responses`. None of their components refers to itself. */
export function inlineReferences<T>(document: T, kinds: readonly string[]): T {
  const components = (document as { components?: Record<string, Record<string, unknown>> }).components ?? {}
  const inline = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inline)
    if (typeof value !== 'object' || value === null) return value
    const { $ref } = value as { $ref?: unknown }
    const [, kind, name] = typeof $ref === 'string' ? (COMPONENT.exec($ref) ?? []) : []
    if (kind !== undefined && kinds.includes(kind)) return inline(components[kind]?.[name!])
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inline(member)]))
  }
  return inline(document) as T
}

const COMPONENT = /^#\/components\/(\w+)\/(\w+)$/
