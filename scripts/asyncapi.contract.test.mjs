// Reads docs/reference/asyncapi.json with the parser of the AsyncAPI initiative and its parser of Avro schemas.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './setup.mjs'

const PACKAGES = ['@asyncapi/parser@3.6.0', '@asyncapi/avro-schema-parser@3.0.24']
/** npm resolves their dependencies as of this day, so that each run reads with the same parser. */
const AS_OF = '2026-11-10'
const ATTEMPTS = 3
/** Severity of the parser's diagnostics: 0 is an error, 1 a warning. */
const WARNING = 1

const { Parser, AvroSchemaParser } = await loadParser()
const text = readFileSync(join(root, 'docs/reference/asyncapi.json'), 'utf8')
const subjects = Object.values(JSON.parse(readFileSync(join(root, 'schemas/subjects.json'), 'utf8')))
const publicEvents = subjects.filter(({ visibility }) => visibility === 'public')

test('the description of the events is valid AsyncAPI 3.0, and its schemas are valid Avro', async () => {
  const { document, diagnostics } = await parse(text)
  expect(diagnostics.filter(({ severity }) => severity <= WARNING)).toEqual([])
  expect(document.version()).toBe('3.0.0')
})

test('it has every public event at its topic and in test mode, and no other', async () => {
  const { document } = await parse(text)
  const found = document
    .channels()
    .all()
    .flatMap((channel) =>
      channel
        .messages()
        .all()
        .map((message) => [channel.address(), message.name()].join(' ')),
    )
  const topics = JSON.parse(readFileSync(join(root, 'deploy/topics.json'), 'utf8')).topics
  const inTestModeToo = new Set(topics.filter(({ sandbox }) => sandbox).map(({ name }) => name))
  // A topic of state also has records without a value.
  const messages = [
    ...publicEvents,
    ...publicEvents.filter(isState).map(({ topic }) => ({ topic, record: 'KeyForgotten' })),
  ]
  const expected = messages.flatMap(({ topic, record }) => [
    `${topic} ${record}`,
    ...(inTestModeToo.has(topic) ? [`sandbox.${topic} ${record}`] : []),
  ])
  expect(found.sort()).toEqual(expected.sort())
})

test('it has the golden sample of each event but the report, which is long, as an example', () => {
  const { messages } = JSON.parse(text).components
  const without = Object.keys(messages).filter((name) => (messages[name].examples ?? []).length === 0)
  expect(without.sort()).toEqual(['KeyForgotten', 'ReportGenerated'])
})

test('it names the subject of each schema as the registry has it', () => {
  const { components } = JSON.parse(text)
  const registered = JSON.parse(readFileSync(join(root, 'schemas/subjects.json'), 'utf8'))
  const named = Object.entries(components.messages).flatMap(([name, message]) => {
    // A strategy names subjects by the full name of a record; those of Cupel have the short one.
    expect(message.bindings.kafka, name).not.toHaveProperty('schemaLookupStrategy')
    return message['x-subject'] === undefined ? [] : [`${message['x-subject']} ${name}`]
  })
  const expected = Object.entries(registered)
    .filter(([, { visibility }]) => visibility === 'public')
    .map(([subject, { record }]) => `${subject} ${record}`)
  expect(named.sort()).toEqual(expected.sort())
})

test.each([
  ['a topic without an address', (document) => void (firstOf(document.channels).address = 7)],
  ['an event that is not described', (document) => void delete document.components.messages.ReportGenerated],
  [
    'a field whose type Avro does not know',
    ({ components }) =>
      void (components.messages.ReportGenerated.payload.schema.fields[0].type = { type: 'record' }),
  ],
])('the parser refuses %s', async (_name, change) => {
  const document = JSON.parse(text)
  change(document)
  const { diagnostics } = await parse(JSON.stringify(document))
  expect(diagnostics.filter(({ severity }) => severity === 0)).not.toEqual([])
})

const isState = ({ topic }) => topic === 'screening.latest-report.events.v1'
const firstOf = (map) => Object.values(map)[0]

async function parse(source) {
  const parser = new Parser()
  parser.registerSchemaParser(AvroSchemaParser())
  return await parser.parse(source)
}

/** The parser has 170 packages, so it is not a dependency of the checkout. It is fetched once into the cache of the checkout. */
async function loadParser() {
  const folder = join(root, '.cache', `asyncapi-${PACKAGES.map((name) => name.split('@').at(-1)).join('-')}`)
  if (!existsSync(folder)) fetchInto(folder)
  const require = createRequire(join(folder, 'package.json'))
  return { ...require('@asyncapi/parser'), ...require('@asyncapi/avro-schema-parser') }
}

function fetchInto(folder) {
  mkdirSync(join(folder, '..'), { recursive: true })
  const half = mkdtempSync(`${folder}-half-`)
  writeFileSync(join(half, 'package.json'), '{"private": true}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--before', AS_OF]
  for (let attempt = 1; ; attempt++)
    try {
      execFileSync('npm', ['install', ...flags, ...PACKAGES], { cwd: half, stdio: 'pipe' })
      break
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
    }
  try {
    renameSync(half, folder)
  } catch (error) {
    // Another run was faster.
    rmSync(half, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  }
}
