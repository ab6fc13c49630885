/** Samples of every public event of Cupel, for the tests of subscribers. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const read = (name) => readFileSync(new URL(name, import.meta.url))
const { releases, events } = JSON.parse(read('events.json'))
const samples = events.map(sampleOf)
const schemas = new Map(samples.map(({ schemaId, schema }) => [schemaId, schema]))

export function goldenEvents({ types, topics, upTo } = {}) {
  for (const type of types ?? []) requireKnown('event', type, (event) => event.type)
  for (const topic of topics ?? []) requireKnown('topic', topic, (event) => event.topic)
  const last = upTo === undefined ? Infinity : releases.indexOf(upTo)
  if (last < 0) throw new RangeError(`There are no samples of the release ${upTo}: ${releases.join(', ')}`)
  return samples.filter(
    (event) =>
      (types?.includes(event.type) ?? true) &&
      (topics?.includes(event.topic) ?? true) &&
      (upTo === undefined || (event.release !== null && releases.indexOf(event.release) <= last)),
  )
}

export async function forEachGoldenEvent(consumer, filter) {
  const chosen = goldenEvents(filter)
  const failures = []
  for (const event of chosen)
    try {
      await consumer(event)
    } catch (cause) {
      const because = cause instanceof Error ? cause.message : String(cause)
      failures.push(new Error(`${event.type}, sample ${event.sample}: ${because}`, { cause }))
    }
  if (failures.length > 0)
    throw new AggregateError(
      failures,
      `The consumer failed on ${failures.length} of ${chosen.length} samples:\n${failures.map(({ message }) => message).join('\n')}`,
    )
  return chosen.length
}

export function goldenSchema(schemaId) {
  return schemas.get(schemaId)
}

export async function startGoldenRegistry() {
  const server = createServer((request, response) => {
    const id = /^\/schemas\/ids\/(\d+)(?:\?.*)?$/.exec(request.url ?? '')?.[1]
    const schema = request.method === 'GET' && id !== undefined ? schemas.get(Number(id)) : undefined
    response.writeHead(schema === undefined ? 404 : 200, {
      'content-type': 'application/vnd.schemaregistry.v1+json',
    })
    response.end(
      JSON.stringify(schema === undefined ? { error_code: 40403, message: 'Schema not found' } : { schema }),
    )
  })
  await new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function sampleOf({ type, sample, topic, release, schemaId }) {
  const name = `samples/${type}/${sample}`
  const payload = read(`${name}.bin`)
  const value = Buffer.alloc(5 + payload.length)
  value.writeInt32BE(schemaId, 1)
  payload.copy(value, 5)
  const headers = { ce_id: `golden-${type}-${sample}`, ce_type: type, ce_specversion: '1.0' }
  const schema = read(`${name}.avsc`).toString('utf8')
  const data = JSON.parse(read(`${name}.json`))
  return { type, sample, topic, release, value, headers, schemaId, schema, payload, data }
}

function requireKnown(kind, name, of) {
  if (!samples.some((event) => of(event) === name))
    throw new RangeError(`There is no sample of the ${kind} ${name}`)
}
