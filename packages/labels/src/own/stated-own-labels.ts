/** What the log states of the labels of accounts. */
import { changes, states, type StatedRows } from '@cupel/projections'

export const statedOwnLabels: StatedRows = {
  tables: {
    'labels.own_label': { key: ['label_id'] },
  },
  events: {
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
  },
}
