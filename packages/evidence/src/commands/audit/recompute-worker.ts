/** A thread of `cupel audit recompute`: it decides one partition after another, with connections of its own, until it is told to close. */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { createRangeDecider, type RangeSource } from '../../proofs/index.js'
import { openArchive, archivePlace, withConfig, readPublicKeys } from '@cupel/command-line/installation'
import { createContext, explain } from '@cupel/command-line'
import type { FromThread, ThreadData, ToThread } from './recompute-messages.js'

await serve(parentPort!, workerData as ThreadData)

async function serve(port: MessagePort, data: ThreadData): Promise<void> {
  const tell = (message: FromThread): void => port.postMessage(message)
  // Messages that come before the connections are open wait.
  const messages: ToThread[] = []
  let wake: () => void = () => undefined
  port.on('message', (message: ToThread) => {
    messages.push(message)
    wake()
  })
  const next = async (): Promise<ToThread> => {
    while (messages.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return messages.shift()!
  }
  const decideAll = async (source: RangeSource): Promise<void> => {
    const decider = createRangeDecider(source, data.question)
    for (;;) {
      const message = await next()
      if (message.kind === 'close') return
      tell({
        kind: 'tally',
        tally: await decider.decide(message.range, (records) => tell({ kind: 'records', records })),
      })
    }
  }
  try {
    await withSource(data, decideAll)
  } catch (error) {
    // A copy of an error loses its class, so that the thread says what the error means.
    tell({ kind: 'fault', ...(await explain(error)) })
  } finally {
    port.close()
  }
}

async function withSource(
  { environment, source }: ThreadData,
  work: (source: RangeSource) => Promise<void>,
): Promise<void> {
  if (source.kind === 'connections') return await withConfig(source.config, work)
  const context = createContext(environment, [])
  const { archive, publicKeys } = source
  const keys = publicKeys === undefined ? null : readPublicKeys(context.path(publicKeys))
  const { log, codec } = await openArchive(context, archivePlace(context, archive), {
    publicKeys: keys,
    gathersFaults: false,
  })
  await work({ log, codec, database: null })
}
