/** `cupel accounts erase ACCOUNT --reference REF`: erases one end customer of an account, and nothing else of the account. */
import { eraseReference } from '../index.js'
import { type Connections, operator } from '@cupel/command-line/installation'
import { CommandError, EXIT_NOT_FOUND } from '@cupel/command-line'
import type { Queryable } from '@cupel/postgres'
import type { ReferenceKey } from '@cupel/projections'
import { erasedReferenceTables, forgetReference, referenceRows } from './forget-tables.js'
import { countReferenceRecords } from './plain-records.js'

interface Order {
  readonly accountId: string
  readonly reference: string
  readonly reason: string
  readonly note: (text: string) => void
}

/** The answer of the command does not contain the reference itself. */
export interface ErasedReference {
  readonly accountId: string
  /** UTC, RFC 3339; null with --dry-run. */
  readonly erasedAt: string | null
  readonly isNew: boolean
  readonly destroyedKeys: number
  /** Rows that end, by their name. */
  readonly ended: Readonly<Record<string, number>>
  /** Records of the log whose fields cannot be read any more, by type of event. */
  readonly erasedRecords: readonly { readonly event: string; readonly count: number }[]
  /** Records that hold the reference in plain text, from before it was sealed. */
  readonly plainRecords: number
}

/** Throws CommandError if nothing is sealed for the reference. */
export async function lookAtReference(connections: Connections, order: Order): Promise<ErasedReference> {
  const { accountId } = order
  const keyId = await keyIdOf(connections, order)
  return {
    ...{ accountId, erasedAt: null, isNew: false, destroyedKeys: 1 },
    ended: await countRows(connections.database, { accountId, keyId }),
    ...(await recordsOf(connections, order, keyId)),
  }
}

/** Key, hash, rows and the event of the erasure change together. Throws CommandError if nothing is sealed for the reference. */
export async function eraseOneReference(connections: Connections, order: Order): Promise<ErasedReference> {
  const { database, personalData } = connections
  const { accountId } = order
  // Runs first: a command that was interrupted after its commit is called again.
  await database.withConnection((connection) => connection.execute('VACUUM personal_data.reference_key'))
  const keyId = await keyIdOf(connections, order)
  const records = await recordsOf(connections, order, keyId)
  const reason = (await personalData.of(accountId)).seal(order.reason)
  let ended = {}
  const { erasedAt, isNew, keyIds } = await eraseReference(
    database,
    { accountId, keyId, by: operator(), reason, plainRecords: records.plainRecords },
    async (transaction) => {
      ended = await countRows(transaction, { accountId, keyId })
      await forgetReference(transaction, { accountId, keyId })
    },
  )
  for (const table of ['personal_data.reference_key', ...erasedReferenceTables])
    await database.withConnection((connection) => connection.execute(`VACUUM ${table}`))
  return { accountId, erasedAt, isNew, destroyedKeys: keyIds.length, ended, ...records }
}

async function countRows(database: Queryable, reference: ReferenceKey): Promise<Record<string, number>> {
  const ended: Record<string, number> = {}
  for (const { name, count } of referenceRows) ended[name] = await count(database, reference)
  return ended
}

async function keyIdOf({ personalData }: Connections, { accountId, reference }: Order): Promise<string> {
  if (!personalData.isSealing)
    throw new CommandError(
      'This command has no keys of personal data: set CUPEL_PERSONAL_DATA_KEYS_FILE to the file that the API has.',
    )
  const keyId = await personalData.referenceKeyId(accountId, reference)
  if (keyId === null)
    throw new CommandError(
      `Nothing of ${accountId} is sealed for this reference: it was never used, or it was erased before. References are compared character by character.`,
      EXIT_NOT_FOUND,
    )
  return keyId
}

async function recordsOf(connections: Connections, { accountId, reference, note }: Order, keyId: string) {
  note('Counting records that hold data of this reference …')
  const { sealed, plain } = await countReferenceRecords(connections, { accountId, reference, keyId })
  return {
    erasedRecords: [...sealed].map(([event, count]) => ({ event, count })),
    plainRecords: plain,
  }
}

export function referenceText(erased: ErasedReference, isDryRun: boolean): string {
  const { accountId, ended, erasedRecords, plainRecords } = erased
  const [is, would] = isDryRun ? ['would be', 'would '] : ['is', '']
  const counted = erasedRecords.map(({ event, count }) => `${count.toLocaleString('en-US')} ${event}`)
  const endings = Object.entries(ended).map(
    ([name, count]) => `${name[0]!.toUpperCase()}${name.slice(1)}: ${count} ${would}end.`,
  )
  return [
    `One customer reference of ${accountId} ${is} erased.`,
    `Records that ${isDryRun ? 'would be unreadable' : 'are unreadable now'} in what they say of it: ${counted.length === 0 ? 'none' : counted.join(', ')}. ${endings.join(' ')}`,
    plainRecords === 0
      ? 'No record holds the reference as it is.'
      : `${plainRecords.toLocaleString('en-US')} records hold the reference as it is, from before it was sealed. They are NOT erased.`,
    ...(isDryRun
      ? []
      : [
          'Backups of the schema personal_data that are older can still open it: delete them, or exchange the key of the installation with `cupel accounts rotate-personal-data-key`.',
        ]),
  ].join('\n')
}
