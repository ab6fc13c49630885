/** A thread of `cupel audit`: it does one order after the other, with connections of its own, until it is told to close. */
import { on } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { createContext, explain } from '@cupel/command-line'
import { archivePlace, openArchive, readPublicKeys, withConfig } from '@cupel/command-line/installation'
import { parseVerifierKey } from '@cupel/signing'
import { createPartitionVerifier, createRangeDecider, type RangeSource } from '../../proofs/index.js'
import { createRunComparison } from '../../transparency/index.js'
import type { AuditTask, AuditWork, FromThread, ThreadData, ToThread } from './audit-threads.js'

type Work = {
  readonly [Kind in keyof AuditWork]?: (
    order: AuditWork[Kind]['order'],
    onRecords: (records: number) => void,
  ) => Promise<AuditWork[Kind]['result']>
}

/** The kind of an order says what it is. */
type Run = (
  order: unknown,
  onRecords: (records: number) => void,
) => Promise<AuditWork[keyof AuditWork]['result']>

const port = parentPort!
const data = workerData as ThreadData
const tell = (message: FromThread): void => port.postMessage(message)
// Messages that come before the connections are open wait.
const messages = on(port, 'message') as AsyncIterable<readonly [ToThread]>

/** Called once, with the connections of the thread. */
async function prepared(source: RangeSource, task: AuditTask): Promise<Work> {
  if (task.kind === 'recompute') {
    const decider = createRangeDecider(source, task.question)
    return { range: (range, onRecords) => decider.decide(range, onRecords) }
  }
  const publicKeys = task.publicKeys?.flatMap((key) => parseVerifierKey(key) ?? []) ?? null
  return {
    partition: await createPartitionVerifier({ ...source, publicKeys, beforeKeys: task.beforeKeys }),
    run: await createRunComparison(source),
  }
}

async function serve(source: RangeSource): Promise<void> {
  const work = await prepared(source, data.task)
  const onRecords = (records: number): void => tell({ kind: 'records', records })
  for await (const [message] of messages) {
    if (message.kind === 'close') return
    const run = work[message.kind] as Run
    tell({ kind: 'result', result: await run(message.order, onRecords) })
  }
}

async function withSource(serveIt: (source: RangeSource) => Promise<void>): Promise<void> {
  const { environment, source } = data
  if (source.kind === 'connections') return await withConfig(source.config, serveIt, source)
  const context = createContext(environment, [])
  const keys = source.publicKeys === undefined ? null : readPublicKeys(context.path(source.publicKeys))
  const { log, codec } = await openArchive(context, archivePlace(context, source.archive), {
    publicKeys: keys,
    gathersFaults: false,
  })
  await serveIt({ log, codec, database: null })
}

try {
  await withSource(serve)
} catch (error) {
  // A copy of an error loses its class, so that the thread says what the error means.
  tell({ kind: 'fault', ...(await explain(error)) })
} finally {
  port.close()
}
