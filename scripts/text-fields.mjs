// What becomes of every text in an event: sealed, or open for a stated reason (schemas/text-fields.json). An event with a text that has no
// entry is refused, so that no text of a caller stays in the log for ever without a decision.

const HELP =
  'schemas/text-fields.json says of every text why it may stay, and `personal` of schemas/subjects.json which are sealed.'
/** Names under which fields hold free text or names. An entry for every record would cover the next one without a decision. */
const FREE =
  /^(?:reason|name|text|label|detail|error|errorDetail|reference|document|report|actor|clientAddress|[^.]*By)$/
const SEALED = {
  kind: 'sealed',
  says: 'Personal data: sealed where it enters, and unreadable once its key is destroyed.',
}

/** Every text of a schema: the record that holds it, its field, and its path in the event. Keys of a map are texts as well. */
export function textFieldsOf(schema, records = new Map()) {
  const walk = (type, at) => {
    if (Array.isArray(type)) return type.flatMap((each) => walk(each, at))
    if (type === 'string') return [at]
    const record = typeof type === 'string' ? records.get(type.split('.').at(-1)) : type
    if (record === undefined) return []
    if (record.type === 'array') return walk(record.items, { ...at, path: `${at.path}[]` })
    if (record.type === 'map') return [at, ...walk(record.values, at)]
    if (record.type !== 'record') return walk(record.type, at)
    records.set(record.name, record)
    const under = at.path === '' ? '' : `${at.path}.`
    return record.fields.flatMap(({ name, type: of }) =>
      walk(of, { record: record.name, field: name, path: under + name }),
    )
  }
  const found = walk(schema, { record: schema.name, field: '', path: '' })
  return [...new Map(found.map((each) => [each.path, each])).values()]
}

/** The texts of all events, with the kinds that are stated for each: exactly one where there is no fault. */
function judged({ subjects, schemas, kinds }) {
  return Object.values(subjects).flatMap(({ record: event, personal, operators, call }) => {
    const sealed = [...personal, ...operators, ...(call === null ? [] : ['call.clientAddress', 'call.actor'])]
    return textFieldsOf(schemas.get(event)).map((text) => {
      const isSealed = sealed.some((path) => path === text.path || path === text.path.replace(/\[\]$/, ''))
      const open = Object.entries(kinds).flatMap(([kind, { says, fields }]) =>
        fields.some((name) => name === text.field || name === `${text.record}.${text.field}`)
          ? [{ kind, says }]
          : [],
      )
      return { event, ...text, kinds: [...(isSealed ? [SEALED] : []), ...open] }
    })
  })
}

/** Sentences that say which text lacks a decision, has two, or is decided and does not exist. */
export function faultsOfTextFields(facts) {
  const texts = judged(facts)
  const stated = Object.values(facts.kinds).flatMap(({ fields }) => fields)
  const exists = (name) => texts.some(({ record, field }) => name === field || name === `${record}.${field}`)
  const faults = [
    ...texts.flatMap(({ event, path, kinds }) => {
      if (kinds.length === 1) return []
      const names = kinds.map(({ kind }) => kind).join(' and ')
      return [
        kinds.length === 0
          ? `${event} has a text without a decision: ${path}.`
          : `${event} has ${path} as ${names}.`,
      ]
    }),
    ...stated.filter((name) => !exists(name)).map((name) => `No event has the text ${name}.`),
    ...stated
      .filter((name) => FREE.test(name))
      .map((name) => `${name} is decided for one record only: name it.`),
  ]
  return [...new Set(faults)].map((fault) => `${fault} ${HELP}`)
}

/** One row for every field of every record; what holds a record in several events is one row. */
export function textFieldRows(facts) {
  const rows = judged(facts).map(({ record, field, kinds: [{ kind, says }] }) => [
    `\`${record}.${field}\``,
    kind,
    says,
  ])
  return [...new Map(rows.map((row) => [row[0] + row[1], row])).values()].sort(([a], [b]) => (a < b ? -1 : 1))
}
