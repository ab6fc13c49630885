/** The side of a thread of a command: it does one order after the other, with connections of its own, until it is told to close. */
import type { MessagePort } from 'node:worker_threads'
import type { RangeSource } from '../../proofs/index.js'
import { createContext, explain } from '@cupel/command-line'
import { archivePlace, openArchive, readPublicKeys, withConfig } from '@cupel/command-line/installation'
import type { FromThread, ThreadSource, ToThread } from './recompute-messages.js'

export interface ThreadData {
  readonly environment: NodeJS.ProcessEnv
  readonly source: ThreadSource
}

type RunOrder<Order, Result> = (order: Order, onRecords: (records: number) => void) => Promise<Result>

/** `prepare` is called once, with the connections of the thread. */
export async function serveOrders<Order, Result>(
  port: MessagePort,
  data: ThreadData,
  prepare: (source: RangeSource) => Promise<RunOrder<Order, Result>>,
): Promise<void> {
  const tell = (message: FromThread<Result>): void => port.postMessage(message)
  // Messages that come before the connections are open wait.
  const messages: ToThread<Order>[] = []
  let wake: () => void = () => undefined
  port.on('message', (message: ToThread<Order>) => {
    messages.push(message)
    wake()
  })
  const next = async (): Promise<ToThread<Order>> => {
    while (messages.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return messages.shift()!
  }
  const serve = async (source: RangeSource): Promise<void> => {
    const run = await prepare(source)
    for (;;) {
      const message = await next()
      if (message.kind === 'close') return
      tell({
        kind: 'result',
        result: await run(message.order, (records) => tell({ kind: 'records', records })),
      })
    }
  }
  try {
    await withSource(data, serve)
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
  if (source.kind === 'connections') return await withConfig(source.config, work, source)
  const context = createContext(environment, [])
  const { archive, publicKeys } = source
  const keys = publicKeys === undefined ? null : readPublicKeys(context.path(publicKeys))
  const { log, codec } = await openArchive(context, archivePlace(context, archive), {
    publicKeys: keys,
    gathersFaults: false,
  })
  await work({ log, codec, database: null })
}
