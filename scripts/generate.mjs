// Generates the event types, the facts of events, the schema catalogue and the topic table from schemas/ and deploy/topics.json, the layers of
// ARCHITECTURE.md, the packages that each member depends on and the list of read models from boundaries.json, the rights of services in the database from their programs, the boards of deploy/observability, and the version of the product where it is shown.
// `--check` writes nothing and fails when a committed file is stale.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync, mkdirSync, existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scorerFiles } from './scorers.mjs'
import { versionFiles } from './version.mjs'
import { boardFiles } from './boards.mjs'
import { databaseRightsModule } from './database-rights.mjs'
import { drawLayers } from './layers.mjs'
import { memberFiles } from './members.mjs'
import { eventFactsModule, readEvents } from './event-facts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const check = process.argv.includes('--check')
const generatedDir = 'packages/contracts/src/generated'
const topics = JSON.parse(readFileSync(join(root, 'deploy/topics.json'), 'utf8'))
const { subjects, schemas } = readEvents(
  root,
  topics.topics.map(({ name }) => name),
)

const interfaces = new Map()

function typeOf(schema) {
  if (Array.isArray(schema)) return schema.map(typeOf).join(' | ')
  if (typeof schema === 'object') {
    if (schema.type === 'array') return `readonly ${wrap(typeOf(schema.items))}[]`
    if (schema.type === 'map') return `Readonly<Record<string, ${typeOf(schema.values)}>>`
    if (schema.type === 'record') {
      defineInterface(schema)
      return schema.name
    }
    return typeOf(schema.type)
  }
  const primitive = {
    string: 'string',
    boolean: 'boolean',
    int: 'number',
    long: 'number',
    double: 'number',
    null: 'null',
    bytes: 'Buffer',
  }
  // A reference to a named record.
  return primitive[schema] ?? schema.split('.').at(-1)
}
const wrap = (type) => (type.includes('|') ? `(${type})` : type)

function defineInterface(record) {
  if (interfaces.has(record.name)) return
  interfaces.set(record.name, '')
  const lines = record.fields.map((field) => {
    const doc = field.doc ? `  /** ${field.doc} */\n` : ''
    return `${doc}  readonly ${field.name}: ${typeOf(field.type)}`
  })
  interfaces.set(
    record.name,
    `/** ${record.doc ?? record.name} */\nexport interface ${record.name} {\n${lines.join('\n')}\n}\n`,
  )
}
for (const schema of schemas.values()) defineInterface(schema)

const banner = '// Generated from schemas/ and deploy/topics.json by `npm run generate`. Do not edit.\n\n'
const names = [...schemas.keys()]
const eventsFile =
  banner +
  [...interfaces.values()].join('\n') +
  `\nexport interface EventData {\n${names.map((n) => `  readonly ${n}: ${n}`).join('\n')}\n}\n`
const schemasFile =
  banner +
  `/** Subject, topic and Avro schema of every event, as registered. */\nexport const eventSchemas = {\n` +
  Object.entries(subjects)
    .map(
      ([subject, s]) =>
        `  ${s.record}: {\n    subject: '${subject}',\n    topic: '${s.topic}',\n    owner: '${s.owner}',\n    visibility: '${s.visibility}',\n    schema: ${JSON.stringify(JSON.stringify(schemas.get(s.record)))},\n  },`,
    )
    .join('\n') +
  '\n} as const\n'
const topicsFile =
  banner +
  `export const topicDefaults = ${JSON.stringify(topics.defaults, null, 2)} as const\n\n` +
  `export const topicTable = ${JSON.stringify(topics.topics, null, 2)} as const\n`

const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
const boundaries = JSON.parse(readFileSync(join(root, 'boundaries.json'), 'utf8'))
const layers = drawLayers(boundaries)

let stale = 0
// Programs import these, and the version is written into the same files.
for (const [name, text] of Object.entries(memberFiles(root, boundaries))) writeOrCheck(name, text)
mkdirSync(join(root, generatedDir), { recursive: true })
writeOrCheck(`${generatedDir}/events.ts`, eventsFile)
writeOrCheck(`${generatedDir}/event-schemas.ts`, schemasFile)
writeOrCheck(`${generatedDir}/event-facts.ts`, banner + eventFactsModule(subjects))
writeOrCheck(`${generatedDir}/topic-table.ts`, topicsFile)
writeOrCheck('ARCHITECTURE.md', withLayers(architecture, layers))
writeOrCheck(
  'packages/operation/src/connections/generated/database-rights.ts',
  await databaseRightsModule(root),
)
const boards = boardFiles()
for (const [name, text] of Object.entries({
  ...versionFiles(),
  ...scorerFiles(),
  ...boards,
  ...chartFiles(boards),
}))
  writeOrCheck(name, text)

/** A chart cannot read files outside of its own folder, so it has copies of the boards. */
function chartFiles(boards) {
  const folder = 'deploy/helm/cupel/files/boards'
  return Object.fromEntries(
    Object.entries(boards).map(([name, text]) => [`${folder}/${basename(name)}`, text]),
  )
}

function withLayers(text, picture) {
  const [start, end] = [
    '<!-- layers: generated from boundaries.json by `npm run generate` -->',
    '<!-- /layers -->',
  ]
  const [before, rest] = text.split(start)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`ARCHITECTURE.md has no lines ${start} and ${end}`)
  return `${before}${start}\n\n\`\`\`text\n${picture}\n\`\`\`\n\n${end}${after}`
}

function writeOrCheck(name, text) {
  const path = join(root, name)
  const current = existsSync(path) ? readFileSync(path, 'utf8') : ''
  if (current === text) return
  if (check) {
    console.error(`stale: ${name} (run: npm run generate)`)
    stale++
  } else {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    console.log(`wrote ${name}`)
  }
}

// The reference pages use the generated code. The SDKs use the API description, which is one of these pages.
const generators = [
  'scripts/reference.mts',
  'scripts/sdk-types.mts',
  'scripts/sdk-python.mts',
  // Reads the sources of the SDKs, including generated ones.
  'scripts/sdk-reference.mts',
]
const statuses = generators.map(
  (script) =>
    spawnSync(
      process.execPath,
      ['--conditions', 'cupel-source', '--import', 'tsx', join(root, script), ...(check ? ['--check'] : [])],
      { cwd: root, stdio: 'inherit' },
    ).status,
)
process.exit(stale === 0 && statuses.every((status) => status === 0) ? 0 : 1)
