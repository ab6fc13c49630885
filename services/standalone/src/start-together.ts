/** Several services in one process. */
import type { Logger } from '@cupel/contracts'
import type { RunningService } from '@cupel/kit/service'

/**
 * `start` passes each service to `started` once it runs. They stop in reverse order. Rejects as `start` does, once those that started
 * are stopped.
 */
export async function startTogether<T>(
  { name, logger }: { readonly name: string; readonly logger: Logger },
  start: (started: <S extends RunningService>(service: S) => S) => Promise<T>,
): Promise<RunningService & { readonly result: T }> {
  const running: RunningService[] = []
  const stop = (): Promise<void> => stopEach([...running].reverse())
  try {
    const result = await start((service) => {
      running.push(service)
      return service
    })
    const checks = (): ReturnType<RunningService['checks']> =>
      running.flatMap((service) =>
        service.checks().map((check) => ({ ...check, name: `${service.name}: ${check.name}` })),
      )
    return { name, checks, stop, result }
  } catch (error) {
    await stop().catch((cause: unknown) => logger.error({ err: cause }, 'Not every service could be stopped'))
    throw error
  }
}

/** Resolves when all have started. Rejects only when none is still starting: such a service would never be stopped. */
export async function allStarted(starting: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(starting)
  await Promise.all(starting)
}

/** Stops one service after the other, also after one that could not be stopped. Rejects with the failures of all of them. */
export async function stopEach(services: readonly Pick<RunningService, 'name' | 'stop'>[]): Promise<void> {
  const failures: Error[] = []
  for (const { name, stop } of services)
    try {
      await stop()
    } catch (cause) {
      failures.push(new Error(`The ${name} could not be stopped.`, { cause }))
    }
  if (failures.length > 0)
    throw new AggregateError(failures, failures.map(({ message }) => message).join(' '))
}
