/** A topic that is derived from the log is not lost: a restore has it built again. */
import { derivedTopicGroups, topicOf } from '@cupel/contracts'
import { listCheckpoints, putCheckpoints } from '@cupel/projections'
import { openTestInstallation } from '@cupel/testkit/installation'
import { expect, test } from 'vitest'
import { settleReadEnds } from './log-ends.js'
import { createNotes } from './notes.js'

test('readers of a derived topic that lost records begin again, and no loss has to be accepted', async () => {
  const { database, log, close } = await openTestInstallation()
  try {
    const identity = await log.identity()
    const topic = topicOf('LatestReportRecorded')
    for (const group of derivedTopicGroups)
      await putCheckpoints(database, { group, log: identity, positions: [{ topic, partition: 0, next: 7 }] })
    const notes = createNotes()
    await settleReadEnds(database, { log, notes, acceptsLost: false })
    expect([notes.losses(), notes.refusals()]).toEqual([[], []])
    expect(notes.changes()).toEqual([
      'The topic of the latest reports lacks records: it is made again of the log.',
    ])
    expect(await listCheckpoints(database)).toEqual([])
  } finally {
    await close()
  }
})
