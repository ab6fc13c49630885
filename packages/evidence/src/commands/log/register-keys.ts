/** `cupel log register-keys`: from now on every process must have the record keys of the file. */
import { setTimeout as sleep } from 'node:timers/promises'
import { requestedEventId, topicOf } from '@cupel/contracts'
import { RECORD_KEYS_REFRESH_MS, registerRecordKeys, type RecordKeys } from '@cupel/event-log'
import { outboxType, writeOutbox, type OutboxEvent } from '@cupel/projections'
import type { Queryable } from '@cupel/postgres'
import { recordKeysOf } from '@cupel/operation/connections'
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext } from '@cupel/command-line'
import { requiredReason, isServed, withConnections, operator } from '@cupel/command-line/installation'

interface RegisterKeysOptions extends JsonOption {
  readonly reason: string
}

/** Time for the query with which a service notices a change. */
const FOLLOWING_MS = 1_000

export function registerRegisterKeys(log: Command, context: CliContext): void {
  log
    .command('register-keys')
    .summary('register the record keys of the file')
    .description(
      `From now on no process starts without the keys of the file, and a running one that lacks a key ends. Give the file to
every process first. A log without the identity of this installation becomes one of it. \`cupel start\` registers keys and the first log by itself, and
\`cupel install\` a new log. Who did it and why is recorded (cupel audit export).`,
    )
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--json', 'answer in JSON')
    .action(async (options: RegisterKeysOptions) => {
      const reason = requiredReason(options.reason)
      const hasChanged = await withConnections(context, async (connections) => {
        const { database, config, log: eventLog } = connections
        const keys = recordKeysOf(config)
        const changed = await registerRecordKeys({
          ...{ database, log: eventLog, keys },
          record: (transaction) => recordRegistration(transaction, keys, reason),
        })
        // Services read the registered keys at this interval, so that everybody may use a key once it is reported.
        if (changed && isServed(connections, context)) await sleep(RECORD_KEYS_REFRESH_MS + FOLLOWING_MS)
        return changed
      })
      answer(context, options, { changed: hasChanged }, () =>
        hasChanged ? 'The record keys are registered.' : 'The record keys were registered already.',
      )
    })
}

/** Records who registered the keys of the file, and why. */
export async function recordRegistration(
  transaction: Queryable,
  keys: RecordKeys,
  reason: string,
): Promise<void> {
  const [id, registeredAt] = [requestedEventId(), new Date().toISOString()]
  const event: OutboxEvent<'RecordKeysRegistered'> = {
    type: outboxType('RecordKeysRegistered'),
    data: { keyIds: [...keys.byId.keys()], registeredAt, registeredBy: operator(), reason },
    envelope: {
      ...{ id, source: 'cupel/cli', time: registeredAt, subject: 'record-keys' },
      ...{ correlationId: id, causationId: id },
    },
  }
  await writeOutbox(transaction, event, { topic: topicOf('RecordKeysRegistered'), key: 'record-keys' })
}
