/** `cupel log require-macs`: from now on a record without a MAC is forged. */
import { setTimeout as sleep } from 'node:timers/promises'
import { requestedEventId, topicOf, type EventData } from '@cupel/contracts'
import {
  type EventLog,
  installationTopics,
  lastRecord,
  MAC_HEADER,
  MACS_REQUIRED_REFRESH_MS,
  placeOf,
  placesOf,
  requireMacs,
  stopRequiringMacs,
} from '@cupel/event-log'
import { outboxType, writeOutbox, type OutboxEvent } from '@cupel/projections'
import type { Queryable } from '@cupel/postgres'
import { recordKeysOf } from '@cupel/service-connections'
import type { Command } from 'commander'
import { answer, type JsonOption } from '../answer.js'
import { isServed, withConnections, type Connections } from '../connections.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_CONFIG, EXIT_FAILED } from '../explain.js'
import { operator } from '../operator.js'
import { requiredReason } from '../required-reason.js'

interface RequireMacsOptions extends JsonOption {
  readonly reason: string
  readonly undo?: boolean
}

/** Time for the query with which a service notices a change. */
const FOLLOWING_MS = 1_000
/** A service of an earlier release that wrote within this time may still run. */
const EARLIER_RELEASE_QUIET_MS = 10 * 60_000

export function registerRequireMacs(log: Command, context: CliContext): void {
  log
    .command('require-macs')
    .summary('refuse records that this installation did not write')
    .description(
      `From now on a record without a MAC of this installation counts for nobody: consumers dead-letter it, and
\`cupel audit verify\` names it. What was written before stays as it is. Every service must be of a release that writes MACs
and have the record keys; the command refuses if a record of the last minutes has none. Repeated, it registers new keys.
\`cupel start\` does this by itself. --undo accepts records without MACs from now on, before a rollback to 0.1.0.
Who did it and why is recorded (cupel audit export).`,
    )
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--undo', 'accept records without MACs from now on')
    .option('--json', 'answer in JSON')
    .action(async (options: RequireMacsOptions) => {
      const reason = requiredReason(options.reason)
      const isRequired = options.undo !== true
      const hasChanged = await withConnections(context, async (connections) => {
        const changed = await change(connections, { isRequired, reason })
        // Services read the requirement again at this interval, so that everybody may rely on the change once it is reported.
        if (changed && isServed(connections, context)) await sleep(MACS_REQUIRED_REFRESH_MS + FOLLOWING_MS)
        return changed
      })
      answer(context, options, { macs_required: isRequired, changed: hasChanged }, () =>
        sentence(isRequired, hasChanged),
      )
    })
}

function sentence(isRequired: boolean, hasChanged: boolean): string {
  if (!hasChanged) return isRequired ? 'MACs were required already.' : 'No MACs were required.'
  return isRequired ? 'MACs are required from now on.' : 'Records without MACs are accepted from now on.'
}

async function change(
  connections: Connections,
  { isRequired, reason }: { isRequired: boolean; reason: string },
): Promise<boolean> {
  const { database, config, log } = connections
  const keys = recordKeysOf(config)
  if (keys === null)
    throw new CommandError('Set CUPEL_RECORD_KEYS_FILE: without record keys nothing has a MAC.', EXIT_CONFIG)
  const record = (transaction: Queryable): Promise<void> =>
    recordChange(transaction, {
      ...{ required: isRequired, keyIds: [...keys.byId.keys()], reason },
      ...{ changedAt: new Date().toISOString(), changedBy: operator() },
    })
  const topicPrefix = config.CUPEL_TOPIC_PREFIX
  const parts = { database, log, keys, topics: installationTopics(), topicPrefix, record }
  if (!isRequired) return await stopRequiringMacs(parts)
  await refuseEarlierRelease(log.unchecked)
  return await requireMacs(parts)
}

/** Throws if a record of the last minutes has no MAC: the service that wrote it may still run. */
async function refuseEarlierRelease(log: EventLog): Promise<void> {
  const since = new Date(Date.now() - EARLIER_RELEASE_QUIET_MS).toISOString()
  for (const place of await placesOf(log, installationTopics())) {
    const last = await lastRecord(log, place)
    const writtenAt = last?.headers['ce_time'] ?? ''
    if (last === null || last.headers[MAC_HEADER] !== undefined || writtenAt < since) continue
    throw new CommandError(
      `Nothing was changed: ${placeOf(place)} at ${last.offset} was written at ${writtenAt} without a MAC. Stop every service of an earlier release, and try again ten minutes after its last record.`,
      EXIT_FAILED,
    )
  }
}

/** Records who changed the requirement of MACs, and why. */
export async function recordChange(
  transaction: Queryable,
  data: EventData['RecordMacsChanged'],
): Promise<void> {
  const id = requestedEventId()
  const event: OutboxEvent<'RecordMacsChanged'> = {
    type: outboxType('RecordMacsChanged'),
    data,
    envelope: {
      ...{ id, source: 'cupel/cli', time: data.changedAt, subject: 'record-macs' },
      ...{ correlationId: id, causationId: id },
    },
  }
  await writeOutbox(transaction, event, { topic: topicOf('RecordMacsChanged'), key: 'record-macs' })
}
