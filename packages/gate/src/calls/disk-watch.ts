/** Refuses new work while the volume of the installation is nearly full, so that what was accepted can still be finished. */
import { startLoop } from '@cupel/kit/concurrency'
import type { Logger, Metrics } from '@cupel/contracts'
import { readDiskSpace, type Check } from '@cupel/kit/service'
import { refuse, type Refusal } from '../http/index.js'

export interface DiskWatch {
  /** Why no new work may begin; null if it may. */
  refusal(): Refusal | null
  /** Reports in `/readyz` that the volume is nearly full. The check does not fail: stored data can still be read. */
  checks(): readonly Check[]
  stop(): Promise<void>
}

export interface DiskWatchOptions {
  readonly logger: Logger
  readonly metrics: Metrics
  /** A folder on the volume. Where it does not exist nothing is refused. */
  readonly folder: string
  /** Bytes, or a share of the volume such as `5%`. */
  readonly watermark: string
}

const LOOK_INTERVAL_MS = 1_000
const RETRY_SECONDS = 30

export function createDiskWatch({ logger, metrics, folder, watermark }: DiskWatchOptions): DiskWatch {
  let isLow = false
  const loop = startLoop({
    restMs: LOOK_INTERVAL_MS,
    async step() {
      const space = await readDiskSpace(folder, watermark)
      if (space === null) return
      // Without the folder nothing is known of a volume: a gauge would begin at 0, and the alert on a full disk would fire for ever.
      metrics.gauge('disk_free_bytes', 'Free bytes on the volume of the installation.').set(space.freeBytes)
      if (space.isLow !== isLow) {
        isLow = space.isLow
        if (isLow) logger.error({ ...space, folder }, 'The volume is nearly full; new work is refused')
        else logger.info({ ...space, folder }, 'The volume has room again; new work is accepted')
      }
    },
    onError: (error) => logger.warn({ err: error, folder }, 'The room on the volume could not be read'),
  })
  return {
    refusal: () =>
      isLow
        ? refuse('unavailable', 'The installation is short of disk space and accepts no new work.', {
            retryAfterSeconds: RETRY_SECONDS,
          })
        : null,
    checks: () =>
      isLow
        ? [{ name: 'disk', ok: true, detail: 'The volume is nearly full, and new work is refused.' }]
        : [],
    stop: () => loop.stop(),
  }
}
