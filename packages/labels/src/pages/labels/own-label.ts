/** A label of the account as the API shows it, in words. */
import { en, nameOf, visibleText } from '@cupel/reports/document'

export const API_OWN_LABELS = '/v1/own-labels'
export const OWN_LABELS_PAGE = '/labels'

export interface OwnLabel {
  readonly label_id: string
  readonly decision: string
  readonly category: string | null
  readonly address: string
  readonly chain: string
  readonly reason: string
  readonly status: string
  readonly stated_at: string
  readonly stated_by: { readonly key_id: string; readonly person: string | null }
  readonly expires_at: string | null
  readonly removed_at: string | null
}

/** An unknown word stays visible. */
export const decisionText = ({ decision, category }: Pick<OwnLabel, 'decision' | 'category'>): string =>
  decision === 'allow'
    ? 'Allowed'
    : decision === 'block'
      ? `Blocked: ${nameOf(en.categories, category ?? '').toLowerCase()}`
      : visibleText(decision)

const statuses: Readonly<Record<string, string>> = {
  in_force: 'in force',
  expired: 'expired',
  removed: 'removed',
  replaced: 'replaced by a later one',
}
export const statusText = (status: string): string => statuses[status] ?? visibleText(status)

export const authorText = ({ person, key_id: keyId }: OwnLabel['stated_by']): string =>
  person === null ? `key ${visibleText(keyId)}` : visibleText(person)
