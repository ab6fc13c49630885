import { expect, test } from 'vitest'
import { laneOfReportPartition, REPORT_PARTITIONS, reportPartitionOfLane } from './topics.js'

test('the lanes share the partitions of the report topic in halves, and each uses all of its half', () => {
  const turns = Array.from({ length: REPORT_PARTITIONS }, (_, turn) => turn)
  for (const [lane, first] of [
    ['interactive', 0],
    ['bulk', REPORT_PARTITIONS / 2],
  ] as const) {
    const used = new Set(turns.map((turn) => reportPartitionOfLane(lane, BigInt(turn))))
    expect([...used]).toEqual(Array.from({ length: REPORT_PARTITIONS / 2 }, (_, index) => first + index))
    for (const partition of used) expect(laneOfReportPartition(partition)).toBe(lane)
  }
})
