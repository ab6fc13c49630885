// Stores a sample of an event as the current schema writes it, so that every later release proves that it can still read the sample.
//   node packages/event-log/scripts/golden-sample.mjs ReportGenerated data.json [--replace]
// Writes schemas/golden/<Event>/<n>.bin (Avro payload without the five bytes of the wire format), <n>.avsc (its writer's
// schema) and <n>.json (its data). A released sample stands for records in a log, so it never changes. --replace
// overwrites the newest sample, for a schema that no release has written yet.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import avro from 'avsc'
import { formatted } from '../../../scripts/formatted.mjs'

const schemasFolder = fileURLToPath(new URL('../../../schemas/', import.meta.url))
const [event, dataFile, option] = process.argv.slice(2)
const isReplaced = option === '--replace'
const subjects = JSON.parse(readFileSync(join(schemasFolder, 'subjects.json'), 'utf8'))
const subject = Object.values(subjects).find(({ record }) => record === event)
if (subject === undefined || dataFile === undefined || (option !== undefined && !isReplaced)) {
  console.error(
    'usage: golden-sample.mjs <Event> <data.json> [--replace], for an event of schemas/subjects.json',
  )
  process.exit(2)
}

const schema = JSON.parse(readFileSync(join(schemasFolder, subject.schema), 'utf8'))
const type = avro.Type.forSchema(schema, { wrapUnions: 'never' })
const data = JSON.parse(readFileSync(dataFile, 'utf8'))
const wrong = []
type.isValid(data, {
  noUndeclaredFields: true,
  errorHook: (path, value) => wrong.push(`${path.join('.')}: ${JSON.stringify(value)}`),
})
if (wrong.length > 0) {
  console.error(`The data does not fit the schema of ${event}:\n  ${wrong.join('\n  ')}`)
  process.exit(1)
}

// Avro would write a missing field with its default, and the gap would go unnoticed.
const payload = type.toBuffer(data)
if (!isDeepStrictEqual(plain(type.fromBuffer(payload)), plain(data))) {
  console.error(
    `The data of ${event} leaves out fields of the schema; a whole one reads:\n${JSON.stringify(type.fromBuffer(payload), null, 2)}`,
  )
  process.exit(1)
}

const folder = join(schemasFolder, 'golden', event)
mkdirSync(folder, { recursive: true })
const numbers = readdirSync(folder).map((name) => Number.parseInt(name, 10))
const newest = Math.max(0, ...numbers)
const sample = join(folder, String(isReplaced ? Math.max(1, newest) : newest + 1))
if (!isReplaced && existsSync(`${sample}.bin`)) throw new Error(`${sample} exists already`)
writeFileSync(`${sample}.bin`, payload)
writeFileSync(`${sample}.avsc`, `${JSON.stringify(schema, null, 2)}\n`)
writeFileSync(`${sample}.json`, await formatted(`${sample}.json`, JSON.stringify(data)))
console.log(`wrote ${sample}.{bin,avsc,json}`)

function plain(value) {
  return JSON.parse(JSON.stringify(value))
}
