/** Children of a local installation that are started again when they end. */
import { supervise, type Child, type Supervised } from '@cupel/local-stack'
import type { StackOptions } from './stack-options.js'

/** Starts a child process, restarts it on the same port when it ends, and stops it at shutdown. */
export async function keep<T extends { readonly child: Child; readonly port: number }>(
  name: string,
  options: StackOptions,
  start: (before: T | null) => Promise<T>,
): Promise<T> {
  const starting = start(null)
  let supervised: Supervised | null = null
  // Registered before the child has started, so that an aborted start stops it too.
  options.shutdown.phase(name, async () => {
    await starting.catch(() => undefined)
    await supervised?.stop()
  })
  const first = await starting
  supervised = supervise(first.child, {
    name,
    start: async () => (await start(first)).child,
    onEnded: ({ reason }) => {
      options.note(`${name} ended (${reason}); restarting it.`)
      options.logger.error({ child: name, reason }, 'A child process ended unexpectedly')
    },
    onRestarted: () => options.note(`${name} runs again.`),
  })
  return first
}

export function portOf(before: { readonly port: number } | null): { port?: number } {
  return before === null ? {} : { port: before.port }
}
