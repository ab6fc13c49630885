/** A thread of `cupel audit`: it does one order after the other, with connections of its own, until it is told to close. */
import { on } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { createContext, explain } from '@cupel/command-line'
import { archivePlace, openArchive, readPublicKeys, withConfig } from '@cupel/command-line/installation'
import type { FromThread, ThreadData, ToThread } from './audit-threads.js'
import { createAuditWork, type AuditSource } from './audit-work.js'

const port = parentPort!
const data = workerData as ThreadData
const tell = (message: FromThread): void => port.postMessage(message)
// Messages that come before the connections are open wait.
const messages = on(port, 'message') as AsyncIterable<readonly [ToThread]>

async function serve(source: AuditSource): Promise<void> {
  const work = await createAuditWork(source, data.task)
  const onRecords = (records: number): void => tell({ kind: 'records', records })
  for await (const [message] of messages) {
    if (message.kind === 'close') return
    tell({ kind: 'result', result: await work(message, onRecords) })
  }
}

async function withSource(serveIt: (source: AuditSource) => Promise<void>): Promise<void> {
  const { environment, source } = data
  if (source.kind === 'connections') return await withConfig(source.config, serveIt, source)
  const context = createContext(environment, [])
  const keys = source.publicKeys === undefined ? null : readPublicKeys(context.path(source.publicKeys))
  const { log, codec, faults } = await openArchive(context, archivePlace(context, source.archive), {
    publicKeys: keys,
    gathersFaults: source.gathersFaults,
  })
  await serveIt({ log, codec, database: null, faults })
}

try {
  await withSource(serve)
} catch (error) {
  // A copy of an error loses its class, so that the thread says what the error means.
  tell({ kind: 'fault', ...(await explain(error)) })
} finally {
  port.close()
}
