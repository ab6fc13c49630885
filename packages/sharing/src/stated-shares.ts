/** What the log states of share links. */
import { changes, states, type StatedRows } from '@cupel/projections'

export const statedShares: StatedRows = {
  tables: {
    'sharing.share': { key: ['share_id'] },
  },
  events: {
    ReportShareCreated: (share) =>
      states('sharing.share', share.shareId, {
        ...{ report_id: share.reportId, account_id: share.accountId, livemode: share.livemode },
        ...{
          label: share.label,
          created_at: share.createdAt,
          created_by: share.createdBy,
          actor: share.actor,
        },
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
  },
}
