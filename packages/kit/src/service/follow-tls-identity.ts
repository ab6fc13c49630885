/** Loads a renewed certificate and its key from their files, without a restart. */
import { X509Certificate } from 'node:crypto'
import { startLoop, type Loop } from '../concurrency/index.js'
import type { Logger } from '@cupel/contracts'
import type { TlsIdentity } from '../http-edge/index.js'
import { readTlsIdentity, type TlsFiles } from './tls-identity.js'

export interface FollowTlsIdentity {
  readonly config: TlsFiles
  /** The pair that is served now. */
  readonly current: TlsIdentity
  readonly logger: Logger
  /** The files hold another usable pair. Other processes may serve it soon. */
  readonly onSeen?: (identity: TlsIdentity) => void
  /** The pair has been in the files for `settleMs` and must be served from now on. */
  readonly onSettled: (identity: TlsIdentity) => void
  readonly lookEveryMs?: number
  readonly settleMs?: number
}

const LOOK_EVERY_MS = 2_000
/** Longer than the interval between checks, so that every process of the installation has seen a certificate before one serves it. */
const SETTLE_MS = 5_000

/** Reads the files periodically. An unusable pair causes one warning, and the former pair stays. Stop it with the server. */
export function followTlsIdentity(options: FollowTlsIdentity): Pick<Loop, 'stop'> {
  const { config, logger, onSeen, onSettled, lookEveryMs = LOOK_EVERY_MS, settleMs = SETTLE_MS } = options
  let served = options.current
  let seen: { readonly identity: TlsIdentity; readonly sinceMs: number } | null = null
  let lastFault: string | null = null
  return startLoop({
    restMs: lookEveryMs,
    firstAfterMs: lookEveryMs,
    async step() {
      const identity = (await readTlsIdentity(config))!
      lastFault = null
      if (isSame(identity, served)) {
        seen = null
      } else if (seen === null || !isSame(identity, seen.identity)) {
        seen = { identity, sinceMs: performance.now() }
        onSeen?.(identity)
      } else if (performance.now() - seen.sinceMs >= settleMs) {
        onSettled(identity)
        served = identity
        seen = null
        logger.info(described(identity), 'A renewed certificate is served')
      }
    },
    onError(error) {
      // Files are replaced one after the other: the new key may not have arrived yet.
      const { message } = error as Error
      if (message === lastFault) logger.debug({ err: error }, 'The certificate still cannot be used')
      else
        logger.warn({ err: error }, 'The files of the certificate cannot be used; the former one is served')
      lastFault = message
    },
  })
}

function isSame(a: TlsIdentity, b: TlsIdentity): boolean {
  return a.cert === b.cert && a.key === b.key
}

function described({ cert }: TlsIdentity) {
  const { subject, validTo, fingerprint256 } = new X509Certificate(cert)
  return { subject, valid_to: validTo, fingerprint256 }
}
