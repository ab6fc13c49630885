/** A thread of `cupel audit`: it does one order after the other, with connections of its own, until it is told to close. */
import { on } from 'node:events'
import { parentPort, workerData } from 'node:worker_threads'
import { createContext, explain } from '@cupel/command-line'
import {
  archivePlace,
  openArchive,
  type ReadArchive,
  readPublicKeys,
  withConfig,
} from '@cupel/command-line/installation'
import { parseVerifierKey } from '@cupel/signing'
import { createPartitionVerifier, createRangeDecider, type RangeSource } from '../../proofs/index.js'
import { createRunComparison } from '../../transparency/index.js'
import type { AuditTask, AuditWork, FromThread, ThreadData, ToThread } from './audit-threads.js'

type Source = RangeSource & { readonly faults?: () => ReadArchive['faults'] }

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
async function prepared(source: Source, task: AuditTask): Promise<Work> {
  if (task.kind === 'recompute') {
    const decider = createRangeDecider(source, task.question)
    return { range: (range, onRecords) => decider.decide(range, onRecords) }
  }
  const publicKeys = task.publicKeys?.flatMap((key) => parseVerifierKey(key) ?? []) ?? null
  const verify = await createPartitionVerifier({ ...source, publicKeys, beforeKeys: task.beforeKeys })
  return {
    partition: async (piece, onRecords) => ({
      verified: await verify(piece, onRecords),
      faults: source.faults?.() ?? [],
    }),
    run: await createRunComparison(source),
  }
}

async function serve(source: Source): Promise<void> {
  const work = await prepared(source, data.task)
  const onRecords = (records: number): void => tell({ kind: 'records', records })
  for await (const [message] of messages) {
    if (message.kind === 'close') return
    const run = work[message.kind] as Run
    tell({ kind: 'result', result: await run(message.order, onRecords) })
  }
}

async function withSource(serveIt: (source: Source) => Promise<void>): Promise<void> {
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
