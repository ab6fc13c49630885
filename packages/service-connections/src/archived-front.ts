/** The log of an installation, read across what retention cut from it. */
import { silentLogger, type Logger } from '@cupel/contracts'
import { LogUnavailableError, withFront, type EventLog, type LogCopy } from '@cupel/event-log'
import { publishedKeys } from '@cupel/evidence/transparency'
import type { Config } from '@cupel/kit/service'
import type { Queryable } from '@cupel/postgres'
import { purposeOf, verifier } from '@cupel/signing'

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
    const keys = (await publishedKeys(database)).filter((key) => purposeOf(key) === 'checkpoints')
    const store = openPlace(place, config, (sentence) => logger.warn({}, sentence))
    return await openCopy(store, verifier(keys), await log.identity())
  }
  let opened: Promise<LogCopy | null> | null = null
  return withFront(log, async (again) => {
    if (opened === null || again) opened = open()
    const own = opened
    return await own.catch((cause: unknown) => {
      if (opened === own) opened = null
      throw new LogUnavailableError(`The archive ${place} cannot be read: ${(cause as Error).message}`, {
        cause,
      })
    })
  })
}
