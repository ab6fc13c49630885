/**
 * The steps that begin the evidence of an installation: record keys are registered, and signing keys are published. Without a file of signing
 * keys none are published; `cupel doctor` reports that.
 */
import { areRecordKeysRegistered, registerRecordKeys } from '@cupel/event-log'
import type { Database, Queryable } from '@cupel/postgres'
import { recordKeysOf } from '../../connections/index.js'
import { readSigningKeys, SigningKeysError, type SigningKeys } from '@cupel/signing'
import { publishKeys, unpublishedKeys } from '@cupel/evidence/transparency'
import { CommandError, EXIT_CONFIG } from '@cupel/command-line'
import { recordRegistration } from '@cupel/evidence/commands'
import type { Step } from './step.js'
import type { Target } from './target.js'

const REASON = 'cupel install'

export const evidenceSteps = (target: Target): readonly Step[] => [recordKeysStep(target), keysStep(target)]

/** A further key waits for `cupel log register-keys`: processes that do not have it yet would not start. */
function recordKeysStep({ database, log, config }: Target): Step {
  return {
    name: 'record keys',
    usesLog: true,
    async needed() {
      const keys = recordKeysOf(config)
      const isRegistered =
        (await hasTable(database, 'log.own_log')) &&
        (await areRecordKeysRegistered(database, await log.identity()))
      return isRegistered ? [] : [...keys.byId.keys()].map((id) => `Register the record key ${id}.`)
    },
    async make(needed) {
      if (needed.length === 0) return []
      const keys = recordKeysOf(config)
      const record = (transaction: Queryable): Promise<void> => recordRegistration(transaction, keys, REASON)
      await registerRecordKeys({ database, log, keys, record })
      return needed
    },
  }
}

function keysStep({ database, config }: Target): Step {
  const { CUPEL_SIGNING_KEYS_FILE: file } = config
  const ofInstallation = (): SigningKeys | null =>
    file === undefined ? null : ofFile(() => readSigningKeys(file))
  return {
    name: 'signing keys',
    usesLog: true,
    async needed() {
      const keys = ofInstallation()
      if (keys === null) return []
      const hasKeys = await hasTable(database, 'transparency.published_key')
      const ids = hasKeys ? await unpublishedKeys(database, keys) : keys.publicKeys.map(({ id }) => id)
      return ids.map((id) => `Publish the signing key ${id}.`)
    },
    async make(needed) {
      const keys = ofInstallation()
      if (needed.length > 0 && keys !== null) await publishKeys(database, keys)
      return needed
    },
  }
}

async function hasTable(database: Database, name: string): Promise<boolean> {
  const [row] = await database.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    name,
  ])
  return row!.exists
}

function ofFile<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    if (!(cause instanceof SigningKeysError)) throw cause
    throw new CommandError(cause.message, EXIT_CONFIG, { cause })
  }
}
