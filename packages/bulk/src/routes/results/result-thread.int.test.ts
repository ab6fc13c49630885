import { isUnavailable, sqlState } from '@cupel/postgres'
import type { Turn } from '../../read-model/find-job.js'
import { createTestDatabase, until } from '@cupel/testkit'
import { expect, onTestFinished, test } from 'vitest'
import { LogUnavailableError } from '@cupel/event-log'
import { errorOf, faultFrom } from './result-messages.js'
import { createResultThread } from './result-thread.js'

const TENANT = { accountId: 'acc_1', livemode: true }
const INLINE = {
  ...({ form: 'inline', tenant: TENANT, jobId: 'job_1', total: 100 } as const),
  ...{ begin: '[', end: ']' },
}
const atOnce: Turn = (work) => work()
const log = {
  endOffset: () => Promise.reject(new Error('nobody asks')),
  partitionFor: () => Promise.reject(new Error('nobody asks')),
}

function threadOn(connectionString: string) {
  const connection = { connectionString, applicationName: 'result thread' }
  const thread = createResultThread({
    connection,
    log,
    openJson: (json) => Promise.resolve(json),
    readDocuments: () => Promise.reject(new Error('nobody asks')),
    timeoutMs: 1_000,
  })
  onTestFinished(() => thread.close())
  return thread
}

async function begunOn(thread: ReturnType<typeof threadOn>, turn: Turn) {
  const begun = await thread.begin(INLINE, turn)
  if (begun.kind !== 'results') throw new Error(`The read is ${begun.kind}`)
  return begun.chunks
}

test('a fault in the thread is judged like one in the process, and the thread goes on', async () => {
  // No server listens on this port.
  const thread = threadOn('postgres://nobody@127.0.0.1:1/nothing')
  for (let read = 0; read < 2; read += 1) {
    const chunks = await begunOn(thread, atOnce)
    const error: unknown = await chunks.next().catch((fault: unknown) => fault)
    expect(isUnavailable(error)).toBe(true)
  }
})

test('a state of the database comes over with its error', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const chunks = await begunOn(threadOn(database.connectionString), atOnce)
  const error: unknown = await chunks.next().catch((fault: unknown) => fault)
  // The database has no tables, and may lack the role.
  expect(sqlState(error)).not.toBeNull()
})

test('a thread that ends leaves no read looking whole, nor a turn without an end, and the next read starts another', async () => {
  const thread = threadOn('postgres://nobody@127.0.0.1:1/nothing')
  const held: (() => Promise<unknown>)[] = []
  const chunks = await begunOn(
    thread,
    (work) => new Promise((resolve) => held.push(() => work().then(resolve))),
  )
  const waiting = chunks.next()
  const refused = expect(waiting).rejects.toThrow('thread of large reads ended')
  await until(() => expect(held).toHaveLength(1))
  await thread.close()
  await refused
  await expect(chunks.next()).rejects.toThrow('thread of large reads ended')
  // The turn comes after the thread is gone, and ends at once.
  await held[0]!()
  const others = await begunOn(thread, atOnce)
  await expect(others.next()).rejects.toSatisfy(isUnavailable)
})

test('a read that was left gives nothing more', async () => {
  const chunks = await begunOn(threadOn('postgres://nobody@127.0.0.1:1/nothing'), atOnce)
  await chunks.return()
  expect(await chunks.next()).toEqual({ done: true, value: undefined })
})

test('an error keeps what it is judged by', () => {
  expect(errorOf(faultFrom(new LogUnavailableError('gone')))).toBeInstanceOf(LogUnavailableError)
  expect(errorOf(faultFrom('a text'))).toMatchObject({ name: 'Error', message: 'a text' })
})
