/** The table of share links, for everything that reads the tables of all features. */
import type { PrimaryTables, Replay } from '@cupel/projections'
import { forgetShares } from './forget-shares.js'
import { sharingMigrations } from './migrations.js'
import { isShareKnown, replayShareOpening, replayShareRevocation } from './replay-shares.js'
import { statedShares } from './stated-shares.js'

const unshared = (count: number): string =>
  `${count} share links that were revoked after the backup are revoked again.`
const opened = (count: number): string =>
  `${count} openings of share links that came after the backup count again.`
const lostShare = (shareId: string): string =>
  `The share link ${shareId} was created after the backup, and opens nothing.`

const replay: Replay<'ReportShareCreated' | 'ReportShareRevoked' | 'ReportShareOpened'> = {
  async ReportShareCreated({ transaction, notes }, share) {
    if (Date.parse(share.expiresAt) > Date.now() && !(await isShareKnown(transaction, share)))
      notes.lost(lostShare(share.shareId))
  },
  async ReportShareRevoked({ transaction, notes }, revocation) {
    notes.notLost(lostShare(revocation.shareId))
    if (await replayShareRevocation(transaction, revocation)) notes.changed(unshared)
  },
  async ReportShareOpened({ transaction, notes }, opening) {
    if (await replayShareOpening(transaction, opening)) notes.changed(opened)
  },
}

export const sharingTables = {
  migrations: sharingMigrations,
  forgetAccount: forgetShares,
  erasedTables: ['sharing.share'],
  replay,
  stated: statedShares,
} as const satisfies PrimaryTables
