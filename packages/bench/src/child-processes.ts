/** Starts the processes of the benchmark and exchanges messages with them. */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BareEchoConnection } from './bare-echo/bare-echo.js'
import type { LoadOrder, LoadReply } from './load-process.js'
import type { LoadResult } from './load.js'
import type { LogConnection } from './log-connection.js'

/** `.ts` under a test runner, `.js` once built: the extension of the neighbouring files too. */
const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'))
const moduleOf = (name: string): string => fileURLToPath(new URL(`./${name}${extension}`, import.meta.url))

/** One generator with its connections runs warm-up and phases. `onWarm` runs in between. */
export async function generateLoad(
  order: LoadOrder,
  onWarm?: () => Promise<void>,
): Promise<readonly LoadResult[]> {
  const child = fork(moduleOf('load-process'), { serialization: 'advanced' })
  let reply = await firstMessage<LoadReply>(child, { ...order, pauseWhenWarm: onWarm !== undefined })
  if ('warm' in reply) {
    await onWarm?.()
    reply = await firstMessage<LoadReply>(child, { goOn: true })
  }
  if ('error' in reply) throw new Error(`The load generator failed: ${reply.error}`)
  if (!('results' in reply)) throw new Error('The load generator reported its warm-up twice')
  return reply.results
}

export interface EchoProcess {
  readonly stop: () => void
}

export function startEchoProcess(connection: LogConnection): Promise<EchoProcess> {
  return startProcess('echo-process', connection)
}

export function startBareEchoProcess(connection: BareEchoConnection): Promise<EchoProcess> {
  return startProcess('bare-echo/bare-echo-process', connection)
}

async function startProcess(name: string, connection: object): Promise<EchoProcess> {
  const child = fork(moduleOf(name), { serialization: 'advanced' })
  await firstMessage(child, connection)
  return { stop: () => void child.kill('SIGTERM') }
}

function firstMessage<T>(child: ChildProcess, message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    child.once('message', (reply) => resolve(reply as T))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`A bench process ended early with code ${code}`)))
    child.send(message)
  })
}
