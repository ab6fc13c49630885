import { reportPartition } from '@cupel/contracts'
import { expect, test, vi } from 'vitest'
import { watchInteractiveDwell } from '../src/interactive-dwell.js'
import { isBulkPartition } from '../src/lanes.js'
import { bulkReportId, openInstallation, outcomeRecord } from './installation.js'

const REPORT_ID = 'a'.repeat(14) + '03'

test('how long interactive screens wait is learned from their reports, and from nothing else', async () => {
  expect(isBulkPartition(reportPartition(REPORT_ID))).toBe(false)
  const installation = await openInstallation()
  const { log } = installation
  try {
    await log.append('test', [outcomeRecord(REPORT_ID, 'ReportGenerated')])
    const dwellsMs: number[] = []
    const fail = (error: unknown): never => {
      throw error
    }
    const watch = await watchInteractiveDwell({
      ...{ log, group: 'test-dwell', onStopped: fail, onRetry: fail },
      onDwell: (dwellMs) => dwellsMs.push(dwellMs),
    })
    await vi.waitFor(() => expect(watch.assigned()).toHaveLength(16), 30_000)
    const late = outcomeRecord(REPORT_ID, 'ReportGenerated')
    const time = new Date(Date.now() + 60_000).toISOString()
    // Where reading begins is looked up on its own time: what is appended before that is history.
    await vi.waitFor(
      async () => {
        await log.append('test', [
          outcomeRecord(bulkReportId(), 'ReportGenerated'),
          outcomeRecord(REPORT_ID, 'ScreeningFailed'),
          { ...late, headers: { ...late.headers, ce_time: time } },
        ])
        expect(dwellsMs.length).toBeGreaterThan(0)
      },
      { timeout: 30_000, interval: 100 },
    )
    for (const dwellMs of dwellsMs) expect(dwellMs).toBeGreaterThan(50_000)
    await watch.stop()
  } finally {
    await installation.close()
  }
})
