import { laneOfReportPartition, reportPartition, silentLogger } from '@cupel/contracts'
import { PATIENCE_MS } from '@cupel/testkit'
import { expect, test, vi } from 'vitest'
import { COORDINATOR_GROUP } from '../src/follow-jobs.js'
import { watchInteractiveDwell } from '../src/interactive-dwell.js'
import { bulkReportId, ETH, openInstallation, outcomeRecord } from './installation.js'

const REPORT_ID = 'a'.repeat(14) + '03'

test('how long interactive screens wait is learned from their reports, and from nothing else', async () => {
  expect(laneOfReportPartition(reportPartition(REPORT_ID))).toBe('interactive')
  const installation = await openInstallation()
  const { log } = installation
  try {
    await log.append('test', [outcomeRecord(REPORT_ID, 'ReportGenerated')])
    const dwellsMs: number[] = []
    const fail = (error: unknown): never => {
      throw error
    }
    const watch = watchInteractiveDwell({
      ...{ log, logger: silentLogger, onStopped: fail },
      onDwell: (dwellMs) => dwellsMs.push(dwellMs),
    })
    await vi.waitFor(() => expect(watch.assigned()).toHaveLength(16), PATIENCE_MS)
    const late = outcomeRecord(REPORT_ID, 'ReportGenerated')
    const time = new Date(Date.now() + 60_000).toISOString()
    // The reader looks up its start in the background, and ignores records appended before that.
    await vi.waitFor(
      async () => {
        await log.append('test', [
          outcomeRecord(bulkReportId(), 'ReportGenerated'),
          outcomeRecord(REPORT_ID, 'ScreeningFailed'),
          { ...late, headers: { ...late.headers, ce_time: time } },
        ])
        expect(dwellsMs.length).toBeGreaterThan(0)
      },
      { timeout: PATIENCE_MS, interval: 100 },
    )
    for (const dwellMs of dwellsMs) expect(dwellMs).toBeGreaterThan(50_000)
    await watch.stop()
  } finally {
    await installation.close()
  }
})

test('the coordinator reads no interactive report among its jobs', async () => {
  const installation = await openInstallation()
  try {
    await installation.log.append('test', [outcomeRecord(REPORT_ID, 'ReportGenerated')])
    await installation.coordinator()
    await installation.ended(await installation.submit([ETH]))
    const read = await installation.database.query<{ topic: string; partition: number }>(
      'SELECT topic, partition FROM projection.checkpoint WHERE group_name = $1 AND topic LIKE $2',
      [COORDINATOR_GROUP, '%report%'],
    )
    expect(read.length).toBeGreaterThan(0)
    expect(read.filter(({ partition }) => laneOfReportPartition(partition) === 'interactive')).toEqual([])
  } finally {
    await installation.close()
  }
})
