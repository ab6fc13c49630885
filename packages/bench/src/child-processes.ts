/** Starts the processes of the benchmark and exchanges messages with them. */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BareEchoConnection } from './bare-echo/bare-echo.js'
import type { LoadOrder, LoadReply, Turn, TurnOrder } from './load-process.js'
import type { LoadResult } from './load.js'
import type { LeastOrder, LeastReply } from './least-screen/least-process.js'
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

/** A generator that keeps its connections from phase to phase. */
export interface LoadGenerator {
  run(order: TurnOrder): Promise<Turn>
  stop(): void
}

export async function startLoadGenerator(
  order: Pick<LoadOrder, 'target' | 'warmUp'>,
): Promise<LoadGenerator> {
  const child = fork(moduleOf('load-process'), { serialization: 'advanced' })
  const answerTo = async (message: object): Promise<LoadReply> => {
    const reply = await firstMessage<LoadReply>(child, message)
    if ('error' in reply) throw new Error(`The load generator failed: ${reply.error}`)
    return reply
  }
  await answerTo({ ...order, phases: [], staysOpen: true } satisfies LoadOrder)
  return {
    async run(turn) {
      const reply = await answerTo(turn)
      if (!('turn' in reply)) throw new Error('The load generator answered something else than a turn')
      return reply.turn
    },
    stop: () => void child.kill('SIGTERM'),
  }
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

/** One process of the least screen. `port` is that of its API, and null for the others. */
export async function startLeastProcess(order: LeastOrder): Promise<EchoProcess & LeastReply> {
  const child = fork(moduleOf('least-screen/least-process'), { serialization: 'advanced' })
  const { port } = await firstMessage<LeastReply>(child, order)
  return { port, stop: () => void child.kill('SIGTERM') }
}

async function startProcess(name: string, connection: object): Promise<EchoProcess> {
  const child = fork(moduleOf(name), { serialization: 'advanced' })
  await firstMessage(child, connection)
  return { stop: () => void child.kill('SIGTERM') }
}

function firstMessage<T>(child: ChildProcess, message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void =>
      reject(new Error(`A bench process ended early with code ${code}`))
    child.once('message', (reply) => {
      child.off('error', reject).off('exit', ended)
      resolve(reply as T)
    })
    child.once('error', reject).once('exit', ended)
    child.send(message)
  })
}
