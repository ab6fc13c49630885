/** The log of an installation, read across what retention cut from it. */
import { silentLogger, type Logger } from '@cupel/contracts'
import {
  LogStoppedError,
  LogUnavailableError,
  withFront,
  type EventLog,
  type LogCopy,
  type LogRange,
} from '@cupel/event-log'
import { publishedKeys } from '@cupel/evidence/transparency'
import type { Config } from '@cupel/kit/service'
import type { Queryable } from '@cupel/postgres'
import { verifier } from '@cupel/signing'

/** An archive that could not be opened is not asked again for so long: a store that does not answer takes minutes to say so. */
const REST_MS = 10_000

/**
 * The log as it is without CUPEL_RETENTION_ARCHIVE. The archive is opened when something before the cut is read. Its manifests must be signed
 * with a key that the installation published, and its records carry the MACs of the log. Reading rejects with LogUnavailableError while the
 * archive cannot be read: it is never taken for a shorter one.
 */
export function withArchivedFront(
  log: EventLog,
  {
    config,
    database,
    logger = silentLogger,
  }: { readonly config: Config; readonly database: Queryable; readonly logger?: Logger | undefined },
): EventLog {
  const { CUPEL_RETENTION_ARCHIVE: place } = config
  if (place === undefined) return log
  const open = async (): Promise<LogCopy | null> => {
    // Loaded on use: most processes never read what was cut.
    const { openCopy, openPlace } = await import('@cupel/archive')
    const keys = await publishedKeys(database)
    const store = openPlace(place, config, (sentence) => logger.warn({}, sentence))
    return await openCopy(store, verifier(keys), await log.identity())
  }
  let opened: Promise<LogCopy | null> | null = null
  let failed: { readonly error: LogUnavailableError; readonly untilMs: number } | null = null
  const unavailable = (cause: unknown): LogUnavailableError => {
    // What it has is looked up anew.
    opened = null
    return new LogUnavailableError(`The archive ${place} cannot be read: ${(cause as Error).message}`, {
      cause,
    })
  }
  async function* read(copy: LogCopy, range: LogRange) {
    try {
      yield* copy.read(range)
    } catch (cause) {
      // A damaged or missing segment: reading again does not help.
      throw cause instanceof LogStoppedError ? cause : unavailable(cause)
    }
  }
  return withFront(log, async (again) => {
    if (failed !== null && performance.now() < failed.untilMs) throw failed.error
    if (opened === null || again) opened = open()
    const copy = await opened.catch((cause: unknown) => {
      const error = unavailable(cause)
      failed = { error, untilMs: performance.now() + REST_MS }
      throw error
    })
    return copy === null ? null : { ...copy, read: (range) => read(copy, range) }
  })
}
