/**
 * The steps that begin the evidence of an installation: MACs are required, and signing keys are published. Each takes the files that the
 * settings name, and leaves an installation without them unchanged; `cupel doctor` reports that.
 */
import type { TopicSpec } from '@cupel/contracts'
import {
  areMacsRequired,
  type EventLog,
  installationTopics,
  lastRecord,
  MAC_HEADER,
  placeOf,
  placesOf,
  type RecordKeys,
  requireMacs,
} from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { recordKeysOf } from '@cupel/service-connections'
import { purposeOf, readSigningKeys, SigningKeysError, type SigningKeys } from '@cupel/signing'
import { publishKeys, readReportSigningKeys, unpublishedKeys } from '@cupel/transparency'
import { CommandError, EXIT_CONFIG } from '../explain.js'
import { recordChange } from '../log/require-macs.js'
import { operator } from '../operator.js'
import type { Step } from './step.js'
import type { Target } from './target.js'

const REASON = 'cupel install'

interface EvidenceParts {
  /** The topics that can be read already. */
  readonly existingTopics: () => Promise<readonly TopicSpec[]>
  readonly note: (sentence: string) => void
}

export const evidenceSteps = (target: Target, parts: EvidenceParts): readonly Step[] => [
  macsStep(target, parts),
  keysStep(target),
]

function macsStep(target: Target, { existingTopics, note }: EvidenceParts): Step {
  const { database, log, config } = target
  const topicPrefix = config.CUPEL_TOPIC_PREFIX
  const sentence = 'Require a MAC of every record from now on.'
  return {
    name: 'MACs',
    usesLog: true,
    async needed() {
      const keys = recordKeysOf(config)
      if (keys === null) return []
      const topics = await existingTopics()
      if (topics.length === 0) return [sentence]
      // A further key is registered by `cupel log require-macs`, once every process has it.
      const isKnown = await hasTable(database, 'log.record_key')
      if (isKnown && (await areMacsRequired(database, await log.identity()))) return []
      const earlier = await recordWithoutMac(log, topics)
      if (earlier === null) return [sentence]
      note(
        `MACs are not required yet: ${earlier} was written by an earlier release. When its last service has stopped, run \`cupel log require-macs\`.`,
      )
      return []
    },
    async make(needed) {
      const keys = recordKeysOf(config)
      if (needed.length === 0 || keys === null) return []
      await requireMacs({
        ...{ database, log, keys, topics: installationTopics(), topicPrefix },
        record: (transaction) =>
          recordChange(transaction, {
            ...{ required: true, keyIds: idsOf(keys), reason: REASON },
            ...{ changedAt: new Date().toISOString(), changedBy: operator() },
          }),
      })
      return needed
    },
  }
}

const idsOf = ({ byId }: RecordKeys): string[] => [...byId.keys()]

/** A record without a MAC at the end of a partition: services that write none have worked here. Null in a new installation. */
async function recordWithoutMac(log: EventLog, topics: readonly TopicSpec[]): Promise<string | null> {
  for (const place of await placesOf(log, topics)) {
    const last = await lastRecord(log, place)
    if (last !== null && last.headers[MAC_HEADER] === undefined) return `${placeOf(place)} at ${last.offset}`
  }
  return null
}

function keysStep({ database, config }: Target): Step {
  const { CUPEL_SIGNING_KEYS_FILE: file, CUPEL_REPORT_SIGNING_KEYS_FILE: ofReports } = config
  const files = (): readonly SigningKeys[] => {
    const ofCheckpoints = file === undefined ? null : ofFile(() => readSigningKeys(file))
    const reportKeys = ofReports === undefined ? null : ofFile(() => readReportSigningKeys(config))
    return [ofCheckpoints, reportKeys].filter((keys) => keys !== null)
  }
  return {
    name: 'signing keys',
    usesLog: true,
    async needed() {
      const hasKeys = await hasTable(database, 'transparency.published_key')
      const missing = files().map(async (keys) => {
        const ids = hasKeys ? await unpublishedKeys(database, keys) : keys.publicKeys.map(({ id }) => id)
        return ids.map((id) => `Publish the key ${id} of ${purposeOf(keys.signer.key)}.`)
      })
      return (await Promise.all(missing)).flat()
    },
    async make(needed) {
      if (needed.length > 0) for (const keys of files()) await publishKeys(database, keys)
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
