/** The tables of watches, for everything that reads the tables of all features. */
import type { PrimaryTables, Replay } from '@cupel/projections'
import { countWatchesOfReference, endWatches, endWatchesOfReference } from './end-watches.js'
import { watchesMigrations } from './migrations.js'
import { replayReportChange, replayWatches, replayWatchRemoval } from './replay-watches.js'
import { replayDigest } from './write-digests.js'
import { statedWatches } from './stated-watches.js'

const watched = (count: number): string =>
  `${count} times watches are made again, as the log tells of them; they are decided anew.`
const unwatched = (count: number): string =>
  `${count} watches that were removed after the backup are removed again.`

const replay: Replay<'WatchesCreated' | 'WatchRemoved' | 'ReportChanged' | 'WatchesDigested'> = {
  async WatchesCreated({ transaction, notes }, made) {
    if ((await replayWatches(transaction, made)) > 0) notes.changed(watched)
  },
  async WatchRemoved({ transaction, notes }, removal) {
    if (await replayWatchRemoval(transaction, removal)) notes.changed(unwatched)
  },
  async ReportChanged({ transaction }, change) {
    await replayReportChange(transaction, change)
  },
  async WatchesDigested({ transaction }, digest) {
    await replayDigest(transaction, digest)
  },
}

export const watchesTables = {
  migrations: watchesMigrations,
  forgetAccount: endWatches,
  ofReference: { name: 'watches', count: countWatchesOfReference, end: endWatchesOfReference },
  erasedTables: ['watches.watch'],
  replay,
  stated: statedWatches,
} as const satisfies PrimaryTables
