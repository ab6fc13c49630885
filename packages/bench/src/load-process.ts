/** The load generator. It is a separate process, so that it shares no event loop with the measured services. */
import { once } from 'node:events'
import { bareEchoClient, type BareEchoConnection } from './bare-echo/bare-echo.js'
import { floorClient, floorTopics, startEcho } from './floor.js'
import { httpClient, type HttpTarget } from './http-client.js'
import { runPhase, type LoadPhase, type LoadResult, type Send } from './load.js'
import { openLog, type LogConnection } from './log-connection.js'

/** `echoInside`: the echo runs in the generator, because the embedded profile is one process too. */
export type FloorTarget = {
  readonly kind: 'floor'
  readonly log: LogConnection
  readonly echoInside: boolean
}

export type BareEchoTarget = BareEchoConnection & { readonly kind: 'bare-echo' }

export interface LoadOrder {
  readonly target: HttpTarget | FloorTarget | BareEchoTarget
  /** Runs before the measured phases; null for none. */
  readonly warmUp: LoadPhase | null
  readonly phases: readonly LoadPhase[]
  /** Sends `warm` after the warm-up, and continues on a message from its parent. */
  readonly pauseWhenWarm?: boolean
  /** After the phases, takes one more phase with each message (a `TurnOrder`), and returns its latencies. */
  readonly staysOpen?: boolean
}

export interface TurnOrder extends LoadPhase {
  /** The latencies of these first seconds do not count: the previous turn still has its effect. */
  readonly settleSeconds?: number
}

/** The latencies of the answers of one turn, in milliseconds. */
export interface Turn {
  readonly latenciesMs: readonly number[]
  readonly errors: number
}

export type LoadReply =
  | { readonly results: readonly LoadResult[] }
  | { readonly error: string }
  | { readonly warm: true }
  | { readonly turn: Turn }

/** Offset between the request numbers of two phases, so that none is used twice. */
const INDEX_STEP = 10_000_000

async function run(order: LoadOrder): Promise<LoadReply> {
  const client = await openClient(order.target)
  try {
    if (order.warmUp !== null) await runPhase(order.warmUp, client.send)
    if (order.pauseWhenWarm === true) await permission()
    const results: LoadResult[] = []
    for (const [index, phase] of order.phases.entries())
      results.push(await runPhase(phase, client.send, (index + 1) * INDEX_STEP))
    if (order.staysOpen === true) await turns(client.send, results.length + 1)
    return { results }
  } finally {
    await client.close()
  }
}

async function openClient(target: LoadOrder['target']): Promise<{ send: Send; close: () => Promise<void> }> {
  switch (target.kind) {
    case 'http':
      return httpClient(target)
    case 'floor':
      return await openFloor(target)
    case 'bare-echo':
      return await bareEchoClient(target)
  }
}

/** Until the parent process ends. */
async function turns(send: Send, fromNumber: number): Promise<never> {
  process.send!({ warm: true } satisfies LoadReply)
  for (let number = fromNumber; ; number += 1) {
    const [{ settleSeconds = 0, ...phase }] = (await once(process, 'message')) as [TurnOrder]
    const latenciesMs: number[] = []
    const countsFromMs = performance.now() + settleSeconds * 1_000
    const { errors } = await runPhase(phase, send, number * INDEX_STEP, (ms, sinceMs) => {
      if (sinceMs >= countsFromMs) latenciesMs.push(ms)
    })
    process.send!({ turn: { latenciesMs, errors } } satisfies LoadReply)
  }
}

async function permission(): Promise<void> {
  const told = once(process, 'message')
  process.send!({ warm: true } satisfies LoadReply)
  await told
}

async function openFloor(target: FloorTarget): ReturnType<typeof floorClient> {
  const { log, close } = await openLog(target.log, 'bench-floor')
  await log.ensureTopics(floorTopics)
  const echo = target.echoInside ? await startEcho(log) : null
  const client = await floorClient(log)
  return {
    send: client.send,
    close: async () => {
      await client.close()
      await echo?.stop()
      await close()
    },
  }
}

process.once('message', (order: LoadOrder) => {
  run(order)
    .catch((error: unknown): LoadReply => ({
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }))
    .then((reply) => process.send!(reply, () => process.exit('error' in reply ? 1 : 0)))
    .catch(() => process.exit(1))
})
// The parent process ended: stop generating load.
process.once('disconnect', () => process.exit(1))
