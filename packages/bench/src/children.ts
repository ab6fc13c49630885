/** Starts the processes of the benchmark: the echo, and a load generator that shares no event loop with the measured services. */
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { HttpTarget } from './http-client.js'
import type { LoadPhase, LoadResult } from './load.js'
import type { LogConnection } from './log-connection.js'

/** `echoInside`: the echo runs in the generator, because the embedded profile is one process too. */
export type LoadTarget =
  | ({ readonly kind: 'http' } & HttpTarget)
  | { readonly kind: 'floor'; readonly log: LogConnection; readonly echoInside: boolean }

export type Order =
  | { readonly role: 'load'; readonly target: LoadTarget }
  | { readonly role: 'echo'; readonly log: LogConnection }

export interface LoadGenerator {
  run(phase: LoadPhase): Promise<LoadResult>
  stop(): void
}

export async function startChild(order: Order): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('./child-process.js', import.meta.url)), {
    serialization: 'advanced',
  })
  await answerOf(child, order)
  return child
}

export async function startLoad(target: LoadTarget): Promise<LoadGenerator> {
  const child = await startChild({ role: 'load', target })
  return {
    run: async (phase) => (await answerOf(child, phase)) as LoadResult,
    stop: () => void child.kill('SIGTERM'),
  }
}

/** One generator for a warm-up and a phase. `onWarm` runs in between. */
export async function generateLoad(
  target: LoadTarget,
  warmUp: LoadPhase,
  phase: LoadPhase,
  onWarm: () => Promise<void> = () => Promise.resolve(),
): Promise<LoadResult> {
  const generator = await startLoad(target)
  try {
    await generator.run(warmUp)
    await onWarm()
    return await generator.run(phase)
  } finally {
    generator.stop()
  }
}

async function answerOf(child: ChildProcess, message: object): Promise<unknown> {
  const done = new AbortController()
  const { signal } = done
  const ended = once(child, 'exit', { signal }).then(([code]) => {
    throw new Error(`A process of the benchmark ended early with code ${String(code)}`)
  })
  // Once there is an answer, nobody waits for the end of the process.
  ended.catch(() => undefined)
  try {
    const answered = once(child, 'message', { signal })
    answered.catch(() => undefined)
    child.send(message)
    const [answer] = (await Promise.race([answered, ended])) as [unknown]
    return answer
  } finally {
    done.abort()
  }
}
