/** The rows of primary tables that events state: what each event makes of them, as a pure fold over the log. */
import { stateAfter } from '@cupel/cases'
import {
  recordedEntry,
  type CaseEventType,
  type DomainEvent,
  type EventData,
  type EventType,
  type RecordedEntry,
} from '@cupel/contracts'
import { keyIdOf } from '@cupel/personal-data'

/** The stated columns of a row, by name. A column that no event states is absent. */
export type Columns = Readonly<Record<string, unknown>>

/** The compared tables, with the columns of their keys. */
export const primaryTables = {
  'access.account': ['account_id'],
  'access.api_key': ['key_id'],
  'access.proposed_change': ['change_id'],
  'cases.report_case': ['report_id'],
  'cases.entry': ['report_id', 'version'],
  'cases.file': ['report_id', 'version'],
  'sharing.share': ['share_id'],
  'labels.own_label': ['label_id'],
  'webhooks.endpoint': ['endpoint_id'],
  'watches.watch': ['watch_id'],
} as const

export type PrimaryTable = keyof typeof primaryTables

export interface Statement {
  readonly table: PrimaryTable
  readonly key: string
  /** The row after the event, from the row before it. */
  readonly next: (before: Columns) => Columns | null
}

type Stating = { readonly [T in EventType]?: (data: EventData[T]) => readonly Statement[] }

const states = (table: PrimaryTable, key: string, columns: Columns): Statement[] => [
  { table, key, next: () => columns },
]
const changes = (table: PrimaryTable, key: string, columns: Columns): Statement[] => [
  { table, key, next: (before) => ({ ...before, ...columns }) },
]

/** Sealed ranges are compared by their number: only the keys of personal data open them. */
const addressesOf = (ranges: readonly string[]): Columns =>
  ranges.some((range) => keyIdOf(range) !== null)
    ? { allowed_ips_number: ranges.length }
    : { allowed_ips: ranges }

const withoutAddresses = (columns: Columns): Columns =>
  Object.fromEntries(Object.entries(columns).filter(([name]) => !name.startsWith('allowed_ips')))

const stating: Stating = {
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
  ReportShareCreated: (share) =>
    states('sharing.share', share.shareId, {
      ...{ report_id: share.reportId, account_id: share.accountId, livemode: share.livemode },
      ...{ label: share.label, created_at: share.createdAt, created_by: share.createdBy, actor: share.actor },
      ...{ expires_at: share.expiresAt, revoked_at: null, revoked_by: null },
      ...{ opens: 0, last_opened_at: null },
    }),
  ReportShareOpened: ({ shareId, opens, openedAt }) => [
    {
      ...{ table: 'sharing.share', key: shareId },
      // An opening that is repeated in the log changes nothing.
      next: (before) =>
        Number(before['opens'] ?? 0) >= opens ? before : { ...before, opens, last_opened_at: openedAt },
    },
  ],
  ReportShareRevoked: ({ shareId, revokedAt, revokedBy }) =>
    changes('sharing.share', shareId, { revoked_at: revokedAt, revoked_by: revokedBy }),
  OwnLabelStated: (label) =>
    states('labels.own_label', label.labelId, {
      ...{ account_id: label.accountId, livemode: label.livemode, decision: label.decision },
      ...{ category: label.category, chain: label.chain, address: label.address },
      ...{ canonical_address: label.canonicalAddress, lookup_keys: label.lookupKeys, reason: label.reason },
      ...{ stated_at: label.statedAt, stated_by: label.statedBy, actor: label.actor },
      ...{ expires_at: label.expiresAt, removed_at: null, removed_by: null, replaced_by: null },
    }),
  OwnLabelRemoved: ({ labelId, removedAt, removedBy, replacedBy }) =>
    changes('labels.own_label', labelId, {
      ...{ removed_at: removedAt, removed_by: removedBy, replaced_by: replacedBy },
    }),
  WebhookEndpointCreated: (endpoint) =>
    states('webhooks.endpoint', endpoint.endpointId, {
      ...{ ...ofEndpoint(endpoint), disabled_reason: null },
      ...{ proven_at: null, created_at: endpoint.createdAt },
    }),
  WebhookEndpointChanged: (change) =>
    changes('webhooks.endpoint', change.endpointId, {
      ...{ ...ofEndpoint(change), disabled_reason: change.disabledReason, proven_at: change.provenAt },
    }),
  WebhookEndpointDeleted: ({ endpointId }) => [
    { table: 'webhooks.endpoint', key: endpointId, next: () => null },
  ],
  WatchesCreated: ({ watches, ...call }) => watches.map((watch) => ofWatch(call, watch)),
  WatchRemoved: ({ watchId }) => [{ table: 'watches.watch', key: watchId, next: () => null }],
  ReportNoteAdded: (data) => ofEntry('ReportNoteAdded', data),
  DispositionProposed: (data) => ofEntry('DispositionProposed', data),
  DispositionProposalDeclined: (data) => ofEntry('DispositionProposalDeclined', data),
  DispositionChanged: (data) => ofEntry('DispositionChanged', data),
  CaseAssigned: (data) => ofEntry('CaseAssigned', data),
  CaseFileAttached: (data) => ofEntry('CaseFileAttached', data),
}

export const statingEventTypes: ReadonlySet<string> = new Set(Object.keys(stating))

/** What the event states of primary tables. */
export function statementsOf({ type, data }: DomainEvent): readonly Statement[] {
  const state = stating[type] as ((data: unknown) => readonly Statement[]) | undefined
  return state?.(data) ?? []
}

type EndpointFields = 'accountId' | 'livemode' | 'origin' | 'recipient' | 'payload' | 'events' | 'status'

function ofEndpoint(endpoint: Pick<EventData['WebhookEndpointChanged'], EndpointFields>): Columns {
  const { accountId, livemode, origin, recipient, payload, events, status } = endpoint
  return { account_id: accountId, livemode, origin, recipient, payload, events, status }
}

/** A call for an address that is watched already changes the settings of its watch. */
function ofWatch(
  call: Omit<EventData['WatchesCreated'], 'watches'>,
  watch: EventData['WatchesCreated']['watches'][number],
): Statement {
  const settings = {
    ...{ reference: watch.reference, until: watch.until, digest: watch.digest },
    threshold_hundredths: watch.thresholdHundredths,
  }
  const made = {
    ...{ account_id: call.accountId, livemode: call.livemode, report_page_url: call.reportPageUrl },
    ...{ address: watch.address, canonical_address: watch.canonicalAddress, chain: watch.chain },
    ...{ candidate_chains: watch.candidateChains, lookup_key: watch.lookupKey },
  }
  return {
    ...{ table: 'watches.watch', key: watch.watchId },
    next: (before) => ({ ...made, ...before, ...settings }),
  }
}

function ofEntry<T extends CaseEventType>(type: T, data: EventData[T]): readonly Statement[] {
  const entry = recordedEntry({ type, data } as unknown as DomainEvent<CaseEventType>)
  const { reportId, version, accountId, livemode, madeAt } = entry
  const columns = {
    ...{ account_id: accountId, livemode, kind: entry.kind, text: entry.text },
    ...{ disposition: entry.disposition, previous_disposition: entry.previousDisposition },
    ...{ proposal_version: entry.proposalVersion, made_at: madeAt, key_id: entry.keyId },
    ...{ key_name: entry.keyName, actor: entry.actor, subject: entry.subject },
    ...assigneeColumns(entry.assignment),
    ...fileColumns(entry.file),
  }
  const afterEntry = (before: Columns): Columns => {
    // An entry that is repeated in the log changes nothing.
    if (Number(before['version'] ?? 0) >= version) return before
    const present = before['version'] === undefined ? undefined : caseStateOf(before)
    const [disposition, pending] = stateAfter(entry, present)
    const changedAt = String(before['changed_at'] ?? '')
    return {
      ...{ account_id: accountId, livemode, disposition, version, proposal_version: pending },
      opened_at: before['opened_at'] ?? madeAt,
      changed_at: changedAt > madeAt ? changedAt : madeAt,
      ...(entry.assignment === null ? planOf(before) : assigneeColumns(entry.assignment)),
    }
  }
  return [
    ...states('cases.entry', `${reportId} ${version}`, columns),
    { table: 'cases.report_case', key: reportId, next: afterEntry },
    ...(entry.file === null
      ? []
      : states('cases.file', `${reportId} ${version}`, {
          ...{ account_id: accountId, livemode, content_sha256: entry.file.contentSha256 },
        })),
  ]
}

function assigneeColumns(assignment: RecordedEntry['assignment']): Columns {
  const { keyId, holder, name, subject } = assignment?.assignee ?? {}
  return {
    ...{ assignee_key: keyId ?? null, assignee_holder: holder ?? null, assignee_name: name ?? null },
    ...{ assignee_subject: subject ?? null, due_on: assignment?.dueOn ?? null },
  }
}

/** The assignment of the case before the entry. */
const planOf = (before: Columns): Columns =>
  Object.fromEntries(Object.keys(assigneeColumns(null)).map((name) => [name, before[name] ?? null]))

const fileColumns = (file: RecordedEntry['file']): Columns => ({
  ...{ file_name: file?.name ?? null, file_type: file?.mediaType ?? null, file_bytes: file?.bytes ?? null },
  ...{ file_sha256: file?.sha256 ?? null, content_sha256: file?.contentSha256 ?? null },
})

const caseStateOf = (before: Columns) => ({
  disposition: String(before['disposition']),
  proposalVersion: before['proposal_version'] as number | null,
})
