/** Records of the log that an attacker with the disks changes, with a valid MAC in half of the cases. */
import { topicOf } from '@cupel/contracts'
import { withMac, type LogRecord } from '@cupel/event-log'
import { testRecordKeys } from '@cupel/testkit/installation'
import type { Verified } from '@cupel/evidence/commands'
import type { Evidence } from './evidence.js'
import { below, flipped, oneOf, type Found, type Kind, type Random } from './kinds.js'

export interface RecordPlace {
  readonly topic: string
  readonly partition: number
  readonly offset: number
}

/** Whether a problem or a leaf names this record. */
export function namesRecord(
  { problems, leaves }: Verified,
  { topic, partition, offset }: RecordPlace,
): boolean {
  const isHere = (each: { readonly topic: string | null; readonly partition: number | null }): boolean =>
    each.topic === topic && each.partition === partition
  return (
    problems.some(
      (problem) =>
        isHere(problem) &&
        // The present first offset of the partition shows that its front is gone.
        (problem.kind === 'truncated' ? offset < (problem.offset ?? 0) : problem.offset === offset),
    ) ||
    (leaves?.comparison?.problems ?? []).some(
      (problem) => isHere(problem) && problem.offset <= offset && offset < problem.to,
    )
  )
}

export function foundRecord(verified: Verified, place: RecordPlace, done: string): Found {
  const { topic, partition, offset } = place
  return {
    isFound: verified.problemCount > 0,
    isNamed: namesRecord(verified, place),
    detail: `${done} ${topic}/${partition} at ${offset}: ${said(verified)}`,
  }
}

export const said = ({ problems, leaves }: Verified): string =>
  JSON.stringify({
    problems: problems.slice(0, 3),
    faults: leaves?.comparison?.faults.slice(0, 3),
    leaves: leaves?.comparison?.problems.slice(0, 3),
  })

/** Writes the record with a valid MAC, as an attacker with the record keys would, or leaves it as it is. */
function written(random: Random, record: LogRecord): LogRecord {
  return random() < 0.5 ? record : { ...record, headers: withMac(testRecordKeys, record).headers }
}

type Tamper = (
  records: readonly LogRecord[],
  at: number,
  parts: { readonly random: Random; readonly evidence: Evidence },
) => readonly LogRecord[]

/** Another record of the same partition, next to this one. */
function isNeighbour(one: LogRecord | undefined, other: LogRecord): boolean {
  return one !== undefined && one.topic === other.topic && one.partition === other.partition
}

const replaced = (records: readonly LogRecord[], at: number, record: LogRecord): LogRecord[] =>
  records.map((each, index) => (index === at ? record : each))

/** Numbers the offsets of the partition again. */
function renumbered(records: readonly LogRecord[]): LogRecord[] {
  let before: LogRecord | undefined
  return records.map((record) => {
    const offset = isNeighbour(before, record) ? before!.offset + 1 : 0
    before = { ...record, offset }
    return before
  })
}

const tampers: Readonly<Record<string, Tamper>> = {
  'a flipped bit': (records, at, { random }) => {
    const record = records[at]!
    return replaced(records, at, written(random, { ...record, value: flipped(random, record.value) }))
  },
  removed: (records, at) => records.filter((_, index) => index !== at),
  'removed, the rest moved up': (records, at) => renumbered(records.filter((_, index) => index !== at)),
  inserted: (records, at, { random }) => {
    const record = records[at]!
    const headers = { ...record.headers, ce_id: `inserted ${below(random, 1e9)}` }
    return renumbered([
      ...records.slice(0, at),
      written(random, { ...record, headers }),
      ...records.slice(at),
    ])
  },
  'put in another order': (records, at) => {
    const [one, other] = [records[at]!, records[at + 1]]
    if (!isNeighbour(other, one)) return renumbered(records.filter((_, index) => index !== at))
    return replaced(replaced(records, at, { ...other!, offset: one.offset }), at + 1, {
      ...one,
      offset: other!.offset,
    })
  },
  'dated back': (records, at, { random }) => {
    const record = records[at]!
    const headers = { ...record.headers, ce_time: `20${10 + below(random, 10)}-01-01T00:00:00.000Z` }
    return replaced(records, at, written(random, { ...record, headers }))
  },
  'the time of the log moved': (records, at, { random }) => {
    const record = records[at]!
    return replaced(records, at, { ...record, timestampMs: record.timestampMs! + 1 + below(random, 1e10) })
  },
  'another key': (records, at, { random }) =>
    replaced(records, at, written(random, { ...records[at]!, key: `other ${below(random, 1e9)}` })),
  'another event id': (records, at, { random }) => {
    const record = records[at]!
    const headers = { ...record.headers, ce_id: `other ${below(random, 1e9)}` }
    return replaced(records, at, written(random, { ...record, headers }))
  },
  'a log cut off': (records, at) => {
    const { topic, partition, offset } = records[at]!
    return records.filter(
      (each) => each.topic !== topic || each.partition !== partition || each.offset < offset,
    )
  },
  'an older backup restored': (records, at) => {
    const { headers } = records[at]!
    const time = headers['ce_time'] ?? ''
    return records.filter((each, index) => index !== at && (each.headers['ce_time'] ?? '') < time)
  },
}

/** A customer's report that names another customer. */
const swapTenant: Tamper = (records, at, { random, evidence: { decided } }) => {
  const record = records[at]!
  const event = decided.codec.decodeAs('ReportGenerated', record)!
  const changed = { ...event, data: { ...event.data, accountId: `acc_${below(random, 200)}` } }
  const { topic, key, partition, headers } = record
  const encoded = decided.codec.encode(changed, { topic, key, partition })
  return replaced(records, at, written(random, { ...record, value: encoded.value, headers }))
}

function kindOf(
  name: string,
  weight: number,
  tamper: Tamper,
  isOne: (record: LogRecord) => boolean = () => true,
): Kind {
  return {
    ...{ surface: 'log', name, weight, command: 'cupel audit verify' },
    async run(evidence, random) {
      const { records } = evidence
      // Most records are accounts: each topic has the same chance.
      const topic = oneOf(random, [...new Set(records.filter(isOne).map((record) => record.topic))])
      const at = oneOf(
        random,
        [...records.keys()].filter((index) => records[index]!.topic === topic && isOne(records[index]!)),
      )
      const verified = await evidence.audit({ records: tamper(records, at, { random, evidence }) })
      return foundRecord(verified, records[at]!, name)
    },
  }
}

/** Its topic has no leaves, because it is made from the log: a finding names the record, or the address. */
function latestReportKind(name: string): Kind {
  return {
    ...{ surface: 'log', name: `latest report: ${name}`, weight: 0.5, command: 'cupel audit verify' },
    async run(evidence, random) {
      const at = below(random, evidence.latestReports.length)
      const record = evidence.latestReports[at]!
      const latestReports = tampers[name]!(evidence.latestReports, at, { random, evidence })
      const verified = await evidence.audit({ latestReports, comparesRows: true })
      const found = foundRecord(verified, record, name)
      return {
        ...found,
        isNamed: found.isNamed || verified.problems.some(({ row }) => row?.includes(record.key) === true),
      }
    },
  }
}

const isReport = ({ topic, headers }: LogRecord): boolean =>
  topic === topicOf('ReportGenerated') && headers['ce_type'] === 'ReportGenerated'

export const logKinds: readonly Kind[] = [
  ...Object.entries(tampers).map(([name, tamper]) => kindOf(name, 1, tamper)),
  kindOf('a flipped bit of a report', 2, tampers['a flipped bit']!, isReport),
  kindOf('a report dated back', 1, tampers['dated back']!, isReport),
  kindOf('a report of another tenant', 2, swapTenant, isReport),
  ...['a flipped bit', 'removed, the rest moved up', 'another key'].map(latestReportKind),
]
