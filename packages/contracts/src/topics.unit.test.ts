import { afterEach, describe, expect, test } from 'vitest'
import {
  DEFAULT_REPORT_PARTITIONS,
  laneOfReportPartition,
  reportPartition,
  reportPartitionAmong,
  reportPartitionOfLane,
  reportPartitions,
  topicSpecs,
  topicsInUse,
  useReportPartitions,
} from './topics.js'

afterEach(() => useReportPartitions(DEFAULT_REPORT_PARTITIONS))

describe.each([2, 16, 64, 256])('with %i report partitions', (count) => {
  test('the lanes share the partitions of the report topic in halves, and each uses all of its half', () => {
    useReportPartitions(count)
    const turns = Array.from({ length: count }, (_, turn) => turn)
    for (const [lane, first] of [
      ['interactive', 0],
      ['bulk', count / 2],
    ] as const) {
      const used = new Set(turns.map((turn) => reportPartitionOfLane(lane, BigInt(turn))))
      expect([...used]).toEqual(Array.from({ length: count / 2 }, (_, index) => first + index))
      for (const partition of used) expect(laneOfReportPartition(partition)).toBe(lane)
    }
  })

  test('the last two digits of an id name a partition that the topic has, and every partition has ids', () => {
    useReportPartitions(count)
    const ids = Array.from(
      { length: 256 },
      (_, last) => `00000000000000${last.toString(16).padStart(2, '0')}`,
    )
    const named = ids.map(reportPartition)
    expect(named).toEqual(ids.map((id) => reportPartitionAmong(id, count)))
    expect(new Set(named)).toEqual(new Set(Array.from({ length: count }, (_, each) => each)))
  })

  test('only the report topics change their size', () => {
    useReportPartitions(count)
    const differing = topicsInUse().filter(({ name, partitions }) => {
      const spec = topicSpecs.find((each) => each.name === name)!
      return spec.partitions !== partitions
    })
    expect(differing.map(({ name }) => name)).toEqual(
      count === DEFAULT_REPORT_PARTITIONS
        ? []
        : ['screening.report.events.v1', 'sandbox.screening.report.events.v1'],
    )
  })
})

test.each([0, 1, 3, 48, 512, 2.5, Number.NaN])('%s report partitions are refused', (count) => {
  expect(() => useReportPartitions(count)).toThrow('not a power of two from 2 to 256')
  expect(reportPartitions()).toBe(DEFAULT_REPORT_PARTITIONS)
})

test('only the topics of the two lanes may grow', () => {
  expect(topicSpecs.filter(({ mayGrow }) => mayGrow).map(({ name }) => name)).toEqual([
    'screening.screen.events.v1',
    'sandbox.screening.screen.events.v1',
    'screening.bulk-screen.events.v1',
    'sandbox.screening.bulk-screen.events.v1',
  ])
})
