/** The rows of primary tables that events state: those of accounts and their keys, and those of each feature. */
import { primaryTables } from '@cupel/command-line/installation'
import type { DomainEvent } from '@cupel/contracts'
import { keyIdOf } from '@cupel/personal-data'
import {
  changes,
  states,
  type Columns,
  type StatedRows,
  type StatedTable,
  type Statement,
} from '@cupel/projections'

/** Sealed ranges are compared by their number: only the keys of personal data open them. */
const addressesOf = (ranges: readonly string[]): Columns =>
  ranges.some((range) => keyIdOf(range) !== null)
    ? { allowed_ips_number: ranges.length }
    : { allowed_ips: ranges }

const withoutAddresses = (columns: Columns): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !name.startsWith('allowed_ips')))

const statedAccess: StatedRows = {
  tables: {
    'access.account': { key: ['account_id'] },
    'access.api_key': {
      key: ['key_id'],
      made: ({ allowed_ips: ranges }) => ({ allowed_ips_number: (ranges as unknown[]).length }),
    },
    'access.proposed_change': { key: ['change_id'] },
  },
  events: {
    AccountCreated: ({ accountId, name, createdAt, createdBy }) =>
      states('access.account', accountId, {
        ...{ name, created_at: createdAt, created_by: createdBy, asks_providers: true },
      }),
    AccountChanged: ({ accountId, asksProviders }) =>
      changes('access.account', accountId, { asks_providers: asksProviders }),
    ApiKeyIssued: (key) =>
      states('access.api_key', key.keyId, {
        ...{ account_id: key.accountId, environment: key.environment, scope: key.scope, plan: key.plan },
        ...{ name: key.name, webhook_admin: key.webhookAdmin, rotated_from: key.rotatedFrom },
        ...{ issued_at: key.issuedAt, issued_by: key.issuedBy, expires_at: key.expiresAt, revoked_at: null },
        ...addressesOf(key.allowedIps),
      }),
    ApiKeyChanged: (key) => [
      {
        ...{ table: 'access.api_key', key: key.keyId },
        next: (before) => ({
          ...withoutAddresses(before),
          ...{ scope: key.scope, plan: key.plan, name: key.name, webhook_admin: key.webhookAdmin },
          ...{ expires_at: key.expiresAt, ...addressesOf(key.allowedIps) },
        }),
      },
    ],
    ApiKeyRevoked: ({ keyId, revokedAt }) => changes('access.api_key', keyId, { revoked_at: revokedAt }),
    ChangeProposed: (change) =>
      states('access.proposed_change', change.changeId, {
        ...{ account_id: change.ofAccountId, livemode: change.livemode, kind: change.kind },
        ...{ change: change.change, based_on: change.basedOn, reason: change.reason },
        ...{ proposed_by: change.proposedBy, holder: change.holder, actor: change.actor },
        ...{ subject: change.subject, proposed_at: change.proposedAt, proposer_account_id: change.accountId },
        ...{ decision: null, decided_by: null, decider: null, decider_account_id: null, decided_at: null },
      }),
    ProposedChangeDecided: (decided) =>
      changes('access.proposed_change', decided.changeId, {
        ...{ decision: decided.decision, decided_by: decided.decidedBy, decider: decided.actor },
        ...{ decider_account_id: decided.accountId, decided_at: decided.decidedAt },
      }),
  },
}

const all: readonly StatedRows[] = [
  statedAccess,
  ...primaryTables.flatMap((tables) => ('stated' in tables ? [tables.stated] : [])),
]

/** The compared tables, by their names. */
export const statedTables: ReadonlyMap<string, StatedTable> = new Map(
  all.flatMap(({ tables }) => Object.entries(tables)),
)

const stating = new Map(
  all.flatMap(({ events }) => Object.entries(events) as [string, (data: unknown) => readonly Statement[]][]),
)

export const statingEventTypes: ReadonlySet<string> = new Set(stating.keys())

/** What the event states of primary tables. */
export const statementsOf = ({ type, data }: DomainEvent): readonly Statement[] =>
  stating.get(type)?.(data) ?? []
