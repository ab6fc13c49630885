/** CPU of the MACs and signatures of real records, without any other work. */
import { generateKeyPairSync } from 'node:crypto'
import { withMac, type LogRecord, type NewRecord, type RecordKeys } from '@cupel/event-log'
import { openSigner, SIGNATURE_HEADER, signRecords } from '@cupel/signing'

export interface OperationCosts {
  /** Microseconds of CPU, medians of the rounds. */
  readonly macMicros: number
  readonly checkMicros: number
  /** For one signature over this number of reports. */
  readonly signMicros: ReadonlyMap<number, number>
}

const ROUNDS = 21
const OPERATIONS = 1_000
export const BATCHES = [1, 4, 16, 64] as const

/** 21,000 operations of each kind. */
export function operationCosts(records: readonly LogRecord[], keys: RecordKeys): OperationCosts {
  const made = records.map(recordOf)
  const authentic = made.map((record) => withMac(keys, record))
  const reports = made.filter(({ headers }) => headers['ce_type'] === 'ReportGenerated')
  const signer = openSigner('cupel/cost/reports', generateKeyPairSync('ed25519').privateKey)
  const at = <T>(list: readonly T[], index: number): T => list[index % list.length]!
  return {
    macMicros: medianCost(OPERATIONS, (index) => withMac(keys, at(made, index))),
    // A reader computes the MAC again and compares.
    checkMicros: medianCost(OPERATIONS, (index) => {
      const given = at(authentic, index)
      const { cupel_mac: expected } = withMac(keys, given).headers
      if (expected !== given.headers['cupel_mac']) throw new Error('A MAC differs from itself')
    }),
    signMicros: new Map(
      BATCHES.map((size) => [
        size,
        medianCost(OPERATIONS / size, (index) =>
          signRecords(
            Array.from({ length: size }, (_, leaf) => at(reports, index * size + leaf)),
            { signer, log: 'cost' },
          ),
        ),
      ]),
    ),
  }
}

/** The number of signatures per report: every record states the size of its batch. */
export function signaturesPerReport(records: readonly LogRecord[]): number {
  const sizes = records.flatMap(({ headers }) => {
    const size = Number(headers[SIGNATURE_HEADER]?.split('.')[1])
    return size > 0 ? [size] : []
  })
  if (sizes.length === 0) throw new Error('No report is signed')
  return sizes.reduce((sum, size) => sum + 1 / size, 0) / sizes.length
}

function recordOf({ topic, key, headers, value }: LogRecord): NewRecord {
  return { topic, key, headers, value }
}

function medianCost(operations: number, work: (index: number) => unknown): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const before = process.cpuUsage()
    for (let index = 0; index < operations; index += 1) work(index)
    const { user, system } = process.cpuUsage(before)
    return (user + system) / operations
  })
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1]!
}
