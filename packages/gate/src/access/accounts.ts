/** Accounts: opened by an operator, each with a live and a test environment. */
import { randomBytes } from 'node:crypto'
import { requestedEventId, topicOf, type EventData } from '@cupel/contracts'
import { asFields, asTimes, type Database, type Queryable } from '@cupel/postgres'
import { outboxType, writeOutbox, type OutboxEvent, type OutboxType } from '@cupel/projections'
import { sealFor, type Sealing } from './sealing.js'

export interface Account {
  readonly accountId: string
  readonly name: string
  /** UTC, RFC 3339 with milliseconds. */
  readonly createdAt: string
  /** False: no address that it screens is sent to a provider of chain data or histories. */
  readonly asksProviders: boolean
}

/** Source of the events of this package. */
const EVENT_SOURCE = 'cupel/access'
/** Longest name of an account or a key. */
export const MAX_NAME_LENGTH = 200
/** Longest reason an operator gives. */
const MAX_REASON_LENGTH = 500
const ACCOUNT_ID_BYTES = 10

/** Opens an account; the audit log records `by` and `reason`. */
export async function createAccount(
  database: Database,
  order: { name: string; by: string; reason?: string; asksProviders?: boolean; sealing?: Sealing },
): Promise<Account> {
  const account = {
    accountId: `acc_${randomBytes(ACCOUNT_ID_BYTES).toString('hex')}`,
    name: checkedName(order.name),
    createdAt: new Date().toISOString(),
    asksProviders: order.asksProviders ?? true,
  }
  const reason = checkedReason(order.reason ?? '')
  const seal = await sealFor(order.sealing, account.accountId)
  const sealed = { ...account, name: seal(account.name) }
  await database.transaction({ at: 'access.change' }, async (transaction) => {
    await transaction.execute(
      'INSERT INTO access.account (account_id, name, created_at, created_by) VALUES ($1, $2, $3, $4)',
      [account.accountId, sealed.name, account.createdAt, seal(order.by)],
    )
    const { accountId, name, createdAt } = sealed
    await writeAccessEvent(transaction, outboxType('AccountCreated'), {
      ...{ accountId, name, createdAt, createdBy: seal(order.by), reason: seal(reason) },
    })
    if (!account.asksProviders) {
      const change = { accountId, asksProviders: false, changedAt: createdAt }
      await changeAccount(transaction, { ...change, changedBy: seal(order.by), reason: seal(reason) })
    }
  })
  return account
}

/** Decides whether providers may be asked for what the account screens; the audit log records `by` and `reason`. False for an unknown account. */
export async function setAsksProviders(
  database: Database,
  order: { accountId: string; asksProviders: boolean; by: string; reason: string; sealing?: Sealing },
): Promise<boolean> {
  const { accountId, asksProviders } = order
  const reason = checkedReason(order.reason)
  const seal = await sealFor(order.sealing, accountId)
  return await database.transaction({ at: 'access.change' }, async (transaction) => {
    const known = await transaction.query('SELECT 1 FROM access.account WHERE account_id = $1 FOR UPDATE', [
      accountId,
    ])
    if (known.length === 0) return false
    const change = { accountId, asksProviders, changedAt: new Date().toISOString() }
    await changeAccount(transaction, { ...change, changedBy: seal(order.by), reason: seal(reason) })
    return true
  })
}

async function changeAccount(transaction: Queryable, change: EventData['AccountChanged']): Promise<void> {
  await transaction.execute('UPDATE access.account SET asks_providers = $2 WHERE account_id = $1', [
    change.accountId,
    change.asksProviders,
  ])
  await writeAccessEvent(transaction, outboxType('AccountChanged'), change)
}

/** Every account, oldest first; the name as stored. */
export async function listAccounts(database: Queryable): Promise<Account[]> {
  return await database.query<Account>(
    `SELECT ${asFields('account_id, name, asks_providers')}, ${asTimes('created_at')} FROM access.account ORDER BY account.created_at, account_id`,
  )
}

/** An account with its keys of both environments in short. */
export interface AccountInShort extends Pick<Account, 'accountId' | 'name' | 'createdAt'> {
  /** Keys that are neither revoked nor expired. */
  readonly workingKeys: number
  /** The plans of those keys, each once. */
  readonly plans: readonly string[]
  /** When a call with one of its keys was last admitted, to the minute; null if none was. */
  readonly lastUsedAt: string | null
}

/** Accounts behind `after`, oldest first, and the last one of the page if there are more; the names as stored. */
export async function listAccountPage(
  database: Queryable,
  { after, pageSize }: { after: Pick<Account, 'createdAt' | 'accountId'> | null; pageSize: number },
): Promise<{ readonly items: readonly AccountInShort[]; readonly next: AccountInShort | null }> {
  const rows = await database.query<AccountInShort>(
    {
      name: 'access.account-page',
      text: `SELECT ${asFields('page.account_id, page.name, keys.working_keys, keys.plans')},
          ${asTimes('created_at, last_used_at')}
        FROM (
          SELECT account_id, name, created_at FROM access.account
          WHERE $1::timestamptz IS NULL OR (created_at, account_id) > ($1, $2)
          ORDER BY created_at, account_id LIMIT $3) AS page
        CROSS JOIN LATERAL (
          SELECT count(*) FILTER (WHERE works)::int AS working_keys, max(last_used_at) AS last_used_at,
            coalesce(array_agg(DISTINCT plan ORDER BY plan) FILTER (WHERE works), '{}') AS plans
          FROM (
            SELECT plan, last_used_at,
              coalesce(least(revoked_at, expires_at), 'infinity') > clock_timestamp() AS works
            FROM access.api_key LEFT JOIN access.key_usage USING (key_id)
            WHERE api_key.account_id = page.account_id) AS one) AS keys
        ORDER BY page.created_at, page.account_id`,
    },
    [after?.createdAt ?? null, after?.accountId ?? null, pageSize + 1],
  )
  const items = rows.slice(0, pageSize)
  return { items, next: rows.length > pageSize ? (items.at(-1) ?? null) : null }
}

/** The trimmed name. Throws a RangeError if it is empty, too long or has control characters. */
export function checkedName(name: string): string {
  const trimmed = name.trim()
  if (trimmed === '' || lengthOf(trimmed) > MAX_NAME_LENGTH || /\p{Cc}/u.test(trimmed))
    throw new RangeError(`A name has 1 to ${MAX_NAME_LENGTH} characters and no control characters`)
  return trimmed
}

/** The trimmed reason. Throws a RangeError if it is too long or has control characters. */
export function checkedReason(reason: string): string {
  const trimmed = reason.trim()
  if (lengthOf(trimmed) > MAX_REASON_LENGTH || /\p{Cc}/u.test(trimmed))
    throw new RangeError(`A reason has ${MAX_REASON_LENGTH} characters at most and no control characters`)
  return trimmed
}

/** In characters, as the API counts them. */
const lengthOf = (text: string): number => [...text].length

type AccessEvent =
  | 'AccountCreated'
  | 'AccountChanged'
  | 'ApiKeyIssued'
  | 'ApiKeyChanged'
  | 'ApiKeyRevoked'
  | 'ChangeProposed'
  | 'ProposedChangeDecided'

/** Writes an event to the outbox in the transaction of its change. `key`: the account behind whose events it comes in the log. */
export async function writeAccessEvent<T extends AccessEvent>(
  transaction: Queryable,
  type: OutboxType<T>,
  data: EventData[T],
  key: string = data.accountId,
): Promise<void> {
  const id = requestedEventId()
  const envelope = {
    id,
    source: EVENT_SOURCE,
    time: new Date().toISOString(),
    subject: data.accountId,
    correlationId: id,
    causationId: id,
  }
  const event = { type, data, envelope } as unknown as OutboxEvent
  await writeOutbox(transaction, event, { topic: topicOf(type), key })
}
