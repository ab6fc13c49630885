/** Tests the package of golden events as a subscriber installs it, and runs a subscriber's consumer on it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRequire } from 'node:module'

const root = join(import.meta.dirname, '..')
const avro = createRequire(join(root, 'packages/event-log/package.json'))('avsc')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'cupel-golden-test-'))
const installed = join(folder, 'node_modules/@cupel/golden-events')
let golden

beforeAll(async () => {
  execFileSync(process.execPath, [join(root, 'scripts/release-golden-events.mjs'), '--pack', '--out', folder])
  mkdirSync(installed, { recursive: true })
  const tarball = join(folder, `cupel-golden-events-${version}.tgz`)
  execFileSync('tar', ['--extract', '--file', tarball, '--directory', installed, '--strip-components=1'])
  golden = await import(pathToFileURL(join(installed, 'index.mjs')).href)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A consumer as a subscriber writes it: it reads with its own schema, which names the fields that it needs. */
async function consume({ type, value }, schemaOf) {
  const name = join(root, 'examples/subscribers/reader-schemas', `${type}.avsc`)
  const reader = avro.Type.forSchema(JSON.parse(readFileSync(name, 'utf8')))
  const writer = avro.Type.forSchema(JSON.parse(await schemaOf(value.readInt32BE(1))))
  return reader.fromBuffer(value.subarray(5), reader.createResolver(writer))
}

test('the package has its version, the files that it names, and no internal event', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  expect(manifest).toMatchObject({ name: '@cupel/golden-events', version })
  expect(manifest.dependencies).toBeUndefined()
  expect(readdirSync(installed).sort()).toEqual(
    ['README.md', 'events.json', 'index.d.mts', 'index.mjs', 'package.json', 'samples'].sort(),
  )
  const subjects = Object.values(JSON.parse(readFileSync(join(root, 'schemas/subjects.json'), 'utf8')))
  const published = subjects.filter(({ visibility }) => visibility === 'public').map(({ record }) => record)
  expect(new Set(golden.goldenEvents().map(({ type }) => type))).toEqual(new Set(published))
})

test('each sample decodes with its schema to what it says, and its record names that schema', async () => {
  const count = await golden.forEachGoldenEvent(
    ({ value, schemaId, schema, payload, data, headers, type }) => {
      expect([value[0], value.readInt32BE(1)]).toEqual([0, schemaId])
      expect(value.subarray(5)).toEqual(payload)
      expect(golden.goldenSchema(schemaId)).toBe(schema)
      expect(headers.ce_type).toBe(type)
      const decoded = avro.Type.forSchema(JSON.parse(schema), { wrapUnions: 'never' }).fromBuffer(payload)
      expect(JSON.parse(JSON.stringify(decoded))).toEqual(data)
    },
  )
  expect(count).toBe(golden.goldenEvents().length)
  expect(count).toBeGreaterThan(20)
})

test('a consumer with schemas of its own reads the reports of every release, by a registry too', async () => {
  const registry = await golden.startGoldenRegistry()
  try {
    const schemaOf = async (id) => {
      const answer = await fetch(`${registry.url}/schemas/ids/${id}`)
      return /** @type {any} */ (await answer.json()).schema
    }
    const read = []
    await golden.forEachGoldenEvent(
      async (event) => read.push([(await consume(event, schemaOf)).reportId, event.data.reportId]),
      {
        types: ['ReportGenerated', 'ScreeningFailed'],
      },
    )
    expect(read.length).toBeGreaterThan(1)
    for (const [found, said] of read) expect(found).toBe(said)
    expect((await fetch(`${registry.url}/schemas/ids/99999`)).status).toBe(404)
    expect((await fetch(`${registry.url}/subjects`)).status).toBe(404)
  } finally {
    await registry.close()
  }
})

test('a consumer that fails is told of every sample that it failed on, and the others were tried', async () => {
  const tried = []
  const consumer = ({ type }) => {
    tried.push(type)
    if (type.startsWith('Bulk')) throw new Error('no such field')
  }
  const failed = golden.goldenEvents().filter(({ type }) => type.startsWith('Bulk'))
  const error = await golden.forEachGoldenEvent(consumer).catch((reason) => reason)
  expect(error.errors).toHaveLength(failed.length)
  expect(error.message).toContain(`on ${failed.length} of ${tried.length} samples`)
  expect(error.message).toContain('BulkSubmitted, sample 1: no such field')
  expect(tried).toHaveLength(golden.goldenEvents().length)
})

test('samples are chosen by event, topic and release, and an unknown name is refused', () => {
  const releases = Object.keys(JSON.parse(readFileSync(join(root, 'releases.json'), 'utf8')))
  for (const last of releases.slice(0, 1))
    expect(golden.goldenEvents({ upTo: last }).every(({ release }) => release === last)).toBe(true)
  expect(
    golden.goldenEvents({ topics: ['screening.bulk.events.v1'], types: ['BulkCompleted'] }),
  ).toHaveLength(1)
  expect(() => golden.goldenEvents({ types: ['ReportInvented'] })).toThrow(RangeError)
  expect(() => golden.goldenEvents({ upTo: '9.9.9' })).toThrow(RangeError)
})
