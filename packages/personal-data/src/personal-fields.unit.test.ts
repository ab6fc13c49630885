import { eventSchemas, factsOf, type EventType } from '@cupel/contracts'
import { expect, test } from 'vitest'

interface Field {
  readonly name: string
  readonly type: unknown
}

/** Words in the names of fields that describe a person or a customer, wherever an event of an account has them. */
const PERSONAL = new Set([
  ...['clientAddress', 'clientNetwork', 'actor', 'customerReference', 'reference', 'reason', 'allowedIps'],
])

/** Reasons for a label, a history that is not read or a way: they are codes. */
const IMPERSONAL = [
  'ReportGenerated: inputs.labels[].reason',
  'ReportGenerated: inputs.historyReading.reason',
  'ReportGenerated: inputs.exposure.cut[].reason',
]

/** Paths of the fields with such a word; `[]` stands for every item. */
function personalPaths(type: unknown, path = ''): string[] {
  if (Array.isArray(type)) return type.flatMap((each) => personalPaths(each, path))
  const { type: kind, fields, items } = (type ?? {}) as { type?: unknown; fields?: Field[]; items?: unknown }
  if (kind === 'array') return items === 'string' ? own(`${path}[]`, path) : personalPaths(items, `${path}[]`)
  return (fields ?? []).flatMap(({ name, type: of }) => {
    const at = path === '' ? name : `${path}.${name}`
    return [...own(at, at), ...personalPaths(of, at)]
  })
}
const own = (path: string, named: string): string[] =>
  PERSONAL.has(named.split('.').at(-1)!.replace('[]', '')) ? [path] : []

test('every field that says something of a person is on the list of personal data', () => {
  const missing = Object.entries(eventSchemas).flatMap(([type, { schema }]) => {
    const { fields } = JSON.parse(schema) as { fields: Field[] }
    // An event without an account belongs to the installation, whose operator answers for it by name.
    if (!fields.some(({ name }) => name === 'accountId')) return []
    const listed = factsOf(type as EventType).personal
    return personalPaths({ fields })
      .filter((path) => !listed.includes(path) && !listed.includes(`${path}[]`))
      .map((path) => `${type}: ${path}`)
  })
  expect(missing).toEqual(IMPERSONAL)
})
