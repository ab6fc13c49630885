/** The labels that accounts state themselves, as decisions take them. The table is primary: a label counts from its commit on. */
import { keyParts, ownLabelFacts, type LabelFacts } from '@cupel/domain'
import { timeText, type Queryable } from '@cupel/postgres'

/** Whose labels of which look-up keys. */
export interface OwnLabelQuestion {
  readonly accountId: string
  readonly livemode: boolean
  readonly lookupKey: string
}

export interface DecidedOwnLabel {
  readonly facts: LabelFacts
  /** UTC, RFC 3339 with milliseconds; null while it is in force. */
  readonly removedAt: string | null
}

/** The labels of a question, in the order in which they were stated; those that expired too: their decision has a time of its own. */
export type OwnLabelsOf = (question: OwnLabelQuestion) => readonly DecidedOwnLabel[]

/** With those that were removed. */
export async function readOwnLabels(
  database: Queryable,
  questions: readonly OwnLabelQuestion[],
): Promise<OwnLabelsOf> {
  if (questions.length === 0) return () => []
  return ownLabelsOf(await database.query<OwnLabelRow>(ALL, askedOwn(questions)))
}

/** The keys and the accounts that a statement asks for. */
export const askedOwn = (questions: readonly OwnLabelQuestion[]): [keys: string[], accounts: string[]] => [
  [...new Set(questions.flatMap(({ lookupKey }) => keyParts(lookupKey)))],
  [...new Set(questions.map(({ accountId }) => accountId))],
]

/** `rows` may contain labels of other accounts and keys: of these nobody is told. */
export function ownLabelsOf(rows: readonly OwnLabelRow[]): OwnLabelsOf {
  return ({ accountId, livemode, lookupKey }) => {
    const parts = keyParts(lookupKey)
    // Anybody can name another's further key in an address, so an allow label counts only for what spends.
    const partsFor = ({ decision }: OwnLabelRow) => (decision === 'allow' ? parts.slice(0, 1) : parts)
    return rows
      .filter((row) => row.accountId === accountId && row.livemode === livemode)
      .filter((row) => partsFor(row).some((key) => row.lookupKeys.includes(key)))
      .map((row) => ({ facts: ownLabelFacts(row), removedAt: row.removedAt }))
  }
}

/** Those that were in force at a moment: UTC, RFC 3339 with milliseconds. */
export const inForceAt = (labels: readonly DecidedOwnLabel[], at: string): readonly LabelFacts[] =>
  labels
    .filter(({ facts, removedAt }) => facts.knownFrom <= at && (removedAt === null || removedAt > at))
    .map(({ facts }) => facts)

export interface OwnLabelRow extends Record<string, unknown> {
  readonly labelId: string
  readonly accountId: string
  readonly livemode: boolean
  readonly decision: string
  readonly category: string
  readonly chain: string
  readonly canonicalAddress: string
  readonly lookupKeys: readonly string[]
  readonly statedAt: string
  readonly expiresAt: string | null
  readonly removedAt: string | null
}

const select = (keys: string, accounts: string, condition = ''): string => `
  SELECT l.label_id AS "labelId", l.account_id AS "accountId", l.livemode, l.decision, l.category, l.chain,
    l.canonical_address AS "canonicalAddress", l.lookup_keys AS "lookupKeys", ${timeText('l.stated_at')} AS "statedAt",
    ${timeText('l.expires_at')} AS "expiresAt", ${timeText('l.removed_at')} AS "removedAt"
  FROM labels.own_label l WHERE l.lookup_keys && ${keys} AND l.account_id = ANY (${accounts}) ${condition}
  ORDER BY l.stated_at, l.label_id`

const ALL = { name: 'own-labels.all', text: select('$1::text[]', '$2::text[]') }

/** SQL for those that are not removed, as one JSON array; null if there are none. */
export const ownLabelsInForce = (keys: string, accounts: string): string =>
  `(SELECT json_agg(own) FROM (${select(keys, accounts, 'AND l.removed_at IS NULL')}) own)`
