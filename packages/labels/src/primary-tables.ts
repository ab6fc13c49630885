/** The tables of labels, for everything that reads the tables of all features. */
import type { PrimaryTables, Replay } from '@cupel/projections'
import { labelsMigrations } from './migrations.js'
import { forgetOwnLabels, replayOwnLabel, replayOwnLabelRemoval } from './own/replay-own-labels.js'
import { statedOwnLabels } from './own/stated-own-labels.js'

const labelled = (count: number): string =>
  `${count} own labels that accounts stated after the backup are stated again.`
const unlabelled = (count: number): string =>
  `${count} own labels that accounts removed after the backup are removed again.`

const replay: Replay<'OwnLabelStated' | 'OwnLabelRemoved'> = {
  async OwnLabelStated({ transaction, notes }, label) {
    if (await replayOwnLabel(transaction, label)) notes.changed(labelled)
  },
  async OwnLabelRemoved({ transaction, notes }, removal) {
    if (await replayOwnLabelRemoval(transaction, removal)) notes.changed(unlabelled)
  },
}

export const labelsTables = {
  migrations: labelsMigrations,
  forgetAccount: forgetOwnLabels,
  erasedTables: ['labels.own_label'],
  replay,
  stated: statedOwnLabels,
} as const satisfies PrimaryTables
