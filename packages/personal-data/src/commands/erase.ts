/** `cupel accounts erase`: destroys the keys of an account's personal data, and ends everything that the account still has. */
import { accountExists, listKeys, revokeKey } from '@cupel/gate/access'
import { eraseAccount, findErasures } from '../index.js'
import { deleteEndpoint, listEndpoints, type WebhookEndpoint } from '@cupel/webhooks'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_NOT_FOUND,
} from '@cupel/command-line'
import { requiredReason, withConnections, type Connections, operator } from '@cupel/command-line/installation'
import { eraseOneReference, lookAtReference, referenceText } from './erase-reference.js'
import { erasedTables, forgetTables } from './forget-tables.js'
import { countPlainRecords } from './plain-records.js'

interface EraseOptions extends JsonOption {
  readonly reason?: string
  readonly dryRun?: boolean
  readonly reference?: string
}

interface Erased {
  readonly accountId: string
  /** UTC, RFC 3339; null with --dry-run where nothing was erased before. */
  readonly erasedAt: string | null
  readonly isNew: boolean
  readonly destroyedKeys: number
  readonly revokedKeys: number
  readonly deletedEndpoints: number
  readonly plainRecords: number
}

export function registerErase(accounts: Command, context: CliContext): void {
  accounts
    .command('erase <account-id>')
    .summary('erase the personal data of an account, or of one of its customers')
    .description(
      `Destroys the keys under which the personal data of an account is sealed: in the log, the read models, archives and backups of
these it can never be read again. Before that, revokes the API keys of the account and deletes its webhook endpoints; with it,
ends watches, share links and sessions. Records stay in the log, so that it verifies and proofs hold. It cannot be undone.
Records from before personal data was sealed are counted, and are not erased. A repeat finishes what was cut off.
With --reference only what is sealed for this customer reference is erased: the reference itself, notes, decisions and share
links of its reports. Its watches end. Everything else of the account stays, and a later use of the reference is kept anew.`,
    )
    .option('--reference <text>', 'erase only one customer reference of the account')
    .option('--reason <text>', 'why, for the audit log; it is sealed')
    .option('--dry-run', 'say what would be done, and change nothing')
    .option('--json', 'answer in JSON')
    .action(async (accountId: string, options: EraseOptions) => {
      const reason = options.dryRun === true ? '' : requiredReason(options.reason)
      const isDryRun = options.dryRun === true
      const { reference } = options
      if (reference !== undefined) {
        const order = { accountId, reference, reason, note: context.note }
        const erased = await withConnections(context, async (connections) => {
          await requireAccount(connections, accountId)
          return await (isDryRun ? lookAtReference : eraseOneReference)(connections, order)
        })
        const { ended, ...facts } = erased
        const counts = Object.entries(ended).map(([name, count]) => [`ended_${name}`, count])
        const told = { dry_run: isDryRun, ...snakeCase(facts), ...Object.fromEntries(counts) }
        answer(context, options, told, () => referenceText(erased, isDryRun))
        return
      }
      const erased = await withConnections(context, async (connections) => {
        await requireAccount(connections, accountId)
        return options.dryRun === true
          ? await lookAt(connections, accountId)
          : await erase(connections, { accountId, reason, note: context.note })
      })
      answer(context, options, { dry_run: options.dryRun === true, ...snakeCase(erased) }, () =>
        textOf(erased, options.dryRun === true),
      )
    })
}

async function requireAccount({ database }: Connections, accountId: string): Promise<void> {
  if (!(await accountExists(database, accountId)))
    throw new CommandError(`There is no account ${accountId}.`, EXIT_NOT_FOUND)
}

async function lookAt(connections: Connections, accountId: string): Promise<Erased> {
  const { database } = connections
  const [row] = await database.query<{ count: number }>(
    `SELECT (SELECT count(*) FROM personal_data.account_key WHERE account_id = $1 AND wrapped IS NOT NULL)
       + (SELECT count(*) FROM personal_data.reference_key WHERE account_id = $1 AND wrapped IS NOT NULL) AS count`,
    [accountId],
  )
  return {
    accountId,
    erasedAt: (await findErasures(database, [accountId])).get(accountId) ?? null,
    isNew: false,
    destroyedKeys: row!.count,
    revokedKeys: (await workingKeys(connections, accountId)).length,
    deletedEndpoints: (await endpointsOf(connections, accountId)).length,
    plainRecords: await countPlainRecords(connections, accountId),
  }
}

/** Each step can be repeated: after an interruption the command is called again. */
async function erase(
  connections: Connections,
  { accountId, reason, note }: { accountId: string; reason: string; note: (text: string) => void },
): Promise<Erased> {
  const { database, personalData } = connections
  const by = operator()
  const seal = await personalData.of(accountId)
  const keys = await workingKeys(connections, accountId)
  for (const { keyId } of keys)
    await revokeKey(database, { keyId, by, reason: ERASURE, sealing: personalData })
  const endpoints = await endpointsOf(connections, accountId)
  for (const { endpointId, livemode } of endpoints)
    await deleteEndpoint(
      { database },
      { accountId, livemode, endpointId, by: seal.seal(by), reason: ERASURE },
    )
  note('Counting records that hold personal data as it is …')
  const plainRecords = await countPlainRecords(connections, accountId)
  const { keyIds, erasedAt, isNew } = await eraseAccount(
    database,
    { accountId, by, reason: await sealedReason(personalData, reason), plainRecords },
    (transaction) => forgetTables(transaction, accountId),
  )
  await rewriteTables(connections)
  return {
    ...{ accountId, erasedAt, isNew, plainRecords },
    ...{ destroyedKeys: keyIds.length, revokedKeys: keys.length, deletedEndpoints: endpoints.length },
  }
}

/** The keys of the account are about to be destroyed. The reason may name a person all the same, so a key without an account seals it. */
const sealedReason = async (personalData: Connections['personalData'], reason: string): Promise<string> =>
  (await personalData.of('')).seal(reason)

const ERASURE = 'the personal data of the account is erased'

/** A changed row leaves its old version in the file until the table is rewritten. */
async function rewriteTables({ database }: Connections): Promise<void> {
  for (const table of ['personal_data.account_key', 'access.account', 'access.api_key', 'access.session'])
    await database.withConnection((connection) => connection.execute(`VACUUM FULL ${table}`))
  for (const table of erasedTables)
    await database.withConnection((connection) => connection.execute(`VACUUM ${table}`))
}

async function workingKeys({ database }: Connections, accountId: string) {
  const now = new Date().toISOString()
  const keys = await listKeys(database, { accountId })
  return keys.filter(({ revokedAt }) => revokedAt === null || revokedAt > now)
}

async function endpointsOf({ database }: Connections, accountId: string): Promise<WebhookEndpoint[]> {
  const both = await Promise.all(
    [true, false].map((livemode) => listEndpoints(database, { accountId, livemode })),
  )
  return both.flat()
}

function textOf(erased: Erased, isDryRun: boolean): string {
  const { accountId, erasedAt, isNew, destroyedKeys, revokedKeys, deletedEndpoints, plainRecords } = erased
  const would = isDryRun ? 'would be ' : ''
  const head = isDryRun
    ? erasedAt === null
      ? `The personal data of ${accountId} would be erased.`
      : `The personal data of ${accountId} was erased at ${erasedAt}.`
    : isNew
      ? `The personal data of ${accountId} is erased.`
      : `The personal data of ${accountId} was erased at ${erasedAt}. Nothing was left to destroy.`
  return [
    head,
    `Keys of personal data: ${destroyedKeys} ${would}destroyed. API keys: ${revokedKeys} ${would}revoked. Webhook endpoints: ${deletedEndpoints} ${would}deleted.`,
    plainRecords === 0
      ? 'No record of the account holds personal data as it is.'
      : `${plainRecords.toLocaleString('en-US')} records of the account hold personal data as it is, from before it was sealed. They are NOT erased.`,
    ...(isDryRun
      ? []
      : [
          'Backups of the schema personal_data that are older can still open it: delete them, or exchange the key of the installation with `cupel accounts rotate-personal-data-key`.',
        ]),
  ].join('\n')
}
