// Reads the facts of every event from schemas/subjects.json. An event that lacks one, or contradicts its schema, is refused:
// the lists of calls, of audited, restored and personal events are made from these facts.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultsOfTextFields } from './text-fields.mjs'

const HELP = 'CONTRIBUTING.md, "Add an event", says what each fact means.'
/** Personal data of every recorded call. */
const OF_CALL = ['call.clientAddress', 'call.actor']

const isText = (value) => typeof value === 'string' && value !== ''
const isVisibility = (value) => value === 'public' || value === 'internal'
const isFlag = (value) => typeof value === 'boolean'
const areTexts = (value) => Array.isArray(value) && value.every(isText)
const isCall = (value) =>
  value === null ||
  (typeof value === 'object' &&
    areTexts(value.subjects) &&
    value.subjects.length > 0 &&
    (value.endedAt === null || isText(value.endedAt)))

/** Each fact with its test, and the form that the sentence of a refusal names. */
const FACTS = [
  { fact: 'owner', isValid: isText, form: 'the service or package that appends it' },
  { fact: 'visibility', isValid: isVisibility, form: '"public" or "internal"' },
  { fact: 'personal', isValid: areTexts, form: 'the fields with personal data, a list that may be empty' },
  {
    fact: 'operators',
    isValid: areTexts,
    form: 'fields that name an operator or a key, a list that may be empty',
  },
  { fact: 'call', isValid: isCall, form: 'null, or "subjects" (fields) and "endedAt" (a field or null)' },
  { fact: 'audited', isValid: isFlag, form: 'true or false' },
  { fact: 'restoresTable', isValid: isFlag, form: 'true or false' },
]

/** Sentences that say what is missing or wrong; none if every event has its facts. `topics` are names of deploy/topics.json. */
export function faultsOfEvents(subjects, schemas, topics) {
  return Object.entries(subjects).flatMap(([subject, facts]) => {
    const schema = schemas.get(facts.record)
    const faults = FACTS.filter(({ fact, isValid }) => !isValid(facts[fact])).map(
      ({ fact, form }) => `does not state "${fact}": ${form}.`,
    )
    if (faults.length === 0) faults.push(...contradictions(facts, schema))
    if (subject !== `${facts.topic}-${facts.record}`) faults.push(`has the subject ${subject}.`)
    if (!topics.includes(facts.topic))
      faults.push(`has a topic that deploy/topics.json lacks: ${facts.topic}.`)
    return faults.map((fault) => `schemas/subjects.json: ${facts.record} ${fault} ${HELP}`)
  })
}

function contradictions({ record, personal, operators, call }, schema) {
  const named = [
    ...personal,
    ...operators,
    ...(call?.subjects ?? []),
    ...(call?.endedAt ? [call.endedAt] : []),
  ]
  const faults = named
    .filter((path) => !hasPath(schema, path))
    .map((path) => `names a field that its schema lacks: ${path}.`)
  if (schema.name !== record) faults.push(`has a schema of another name: ${schema.name}.`)
  const holdsCall = schema.fields.some(({ name }) => name === 'call')
  if (holdsCall && call === null) faults.push('has a field "call", and its fact "call" is null.')
  if (!holdsCall && call !== null) faults.push('has the fact "call", and its schema has no field "call".')
  return faults
}

/** Whether a schema has the field of a path; `[]` stands for every item. A text may hold JSON, whose members are not known here. */
function hasPath(schema, path) {
  let types = [schema]
  for (const step of path.split('.')) {
    if (types.includes('string')) return true
    const [name, isList] = [step.replace('[]', ''), step.endsWith('[]')]
    types = types
      .flatMap((type) => type.fields ?? [])
      .filter((field) => field.name === name)
      .flatMap(({ type }) => type)
      .flatMap((type) => (isList ? (type.items ?? []) : type))
  }
  return types.length > 0
}

/** Schemas that no entry of schemas/subjects.json names: they would register, restore and audit nothing. */
export function unnamedSchemas(root, subjects) {
  const named = Object.values(subjects).map(({ schema }) => schema)
  const folders = readdirSync(join(root, 'schemas'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'golden' && entry.name !== 'package')
    .map(({ name }) => name)
  const missing = named.filter((path) => !existsSync(join(root, 'schemas', path)))
  const unnamed = folders.flatMap((folder) =>
    readdirSync(join(root, 'schemas', folder))
      .filter((file) => file.endsWith('.avsc') && !named.includes(`${folder}/${file}`))
      .map((file) => `${folder}/${file}`),
  )
  return [
    ...missing.map((path) => `schemas/subjects.json names schemas/${path}, which does not exist.`),
    ...unnamed.map((path) => `schemas/subjects.json does not name the event of schemas/${path}. ${HELP}`),
  ]
}

/** The events of schemas/, or a refusal with a sentence for each fault. */
export function readEvents(root, topics) {
  const subjects = JSON.parse(readFileSync(join(root, 'schemas/subjects.json'), 'utf8'))
  refuse(unnamedSchemas(root, subjects))
  const schemas = new Map(
    Object.values(subjects).map(({ record, schema }) => [
      record,
      JSON.parse(readFileSync(join(root, 'schemas', schema), 'utf8')),
    ]),
  )
  refuse(faultsOfEvents(subjects, schemas, topics))
  const textFields = JSON.parse(readFileSync(join(root, 'schemas/text-fields.json'), 'utf8'))
  refuse(faultsOfTextFields({ subjects, schemas, kinds: textFields }))
  return { subjects, schemas, textFields }
}

function refuse(faults) {
  if (faults.length === 0) return
  console.error(faults.join('\n'))
  process.exit(1)
}

/** The TypeScript module of the facts. */
export function eventFactsModule(subjects) {
  const rows = Object.values(subjects).map((facts) => {
    const { record, call, audited, restoresTable, operators } = facts
    const personal = [...facts.personal, ...(call === null ? [] : OF_CALL)]
    return `  ${record}: ${JSON.stringify({ personal, operators, call, audited, restoresTable })},`
  })
  return `/** Facts of every event, as schemas/subjects.json states them. */\nexport const eventFacts = {\n${rows.join('\n')}\n} as const\n`
}
