// CPU of the scorer's encode path, without evidence, with MACs, and with MACs and signatures, by turns:
//   npx tsx --conditions=cupel-source services/scorer/test/signing-cost.mts
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventSchemas, reportPartition, topicOf, type ReportGenerated } from '@cupel/contracts'
import {
  createEventCodec,
  ensureRecordKeys,
  withMac,
  type NewRecord,
  type SchemaCatalog,
} from '@cupel/event-log'
import { openSigner, signRecords } from '@cupel/signing'

const ROUNDS = 40
const REPORTS = 512

const golden = JSON.parse(
  readFileSync(new URL('../../../schemas/golden/ReportGenerated/1.json', import.meta.url), 'utf8'),
) as ReportGenerated
const ids = new Map<string, number>(
  Object.values(eventSchemas).map(({ subject }, index) => [subject, index + 1]),
)
const catalog = { idOf: (subject: string) => ids.get(subject) } as unknown as SchemaCatalog
const codec = createEventCodec(catalog)
const folder = mkdtempSync(join(tmpdir(), 'cupel-signing-cost-'))
const macs = ensureRecordKeys(join(folder, 'keys.json'))
rmSync(folder, { recursive: true })
const parts = {
  signer: openSigner('cupel/cost', generateKeyPairSync('ed25519').privateKey),
  log: 'cost',
}

function encode(index: number): NewRecord {
  const reportId = index.toString(16).padStart(16, '0')
  const at = '2026-11-23T07:00:00.000Z'
  return codec.encode(
    {
      type: 'ReportGenerated',
      data: { ...golden, reportId },
      envelope: {
        id: reportId,
        source: 'cupel/scorer',
        time: at,
        subject: reportId,
        correlationId: reportId,
        causationId: reportId,
      },
    },
    { topic: topicOf('ReportGenerated'), key: reportId, partition: reportPartition(reportId) },
  )
}

/** Microseconds of CPU for each report. */
function cost(batch: number, prove: (records: NewRecord[]) => readonly NewRecord[]): number {
  const before = process.cpuUsage()
  for (let index = 0; index < REPORTS; index += batch)
    prove(Array.from({ length: batch }, (_, at) => encode(index + at)))
  const { user, system } = process.cpuUsage(before)
  return (user + system) / REPORTS
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]!
const withMacs = (records: NewRecord[]) => records.map((record) => withMac(macs, record))
const variants = [
  ['encode', (records: NewRecord[]) => records],
  ['and MAC', withMacs],
  ['and signature', (records: NewRecord[]) => signRecords(records, parts)],
  ['and both', (records: NewRecord[]) => withMacs(signRecords(records, parts))],
] as const

process.stdout.write(
  `value of ${encode(1).value.length} bytes, median of ${ROUNDS} turns of ${REPORTS} reports, µs of CPU a report\n`,
)
for (const batch of [1, 4, 32, 256]) {
  const measured = new Map<string, number[]>(variants.map(([name]) => [name, []]))
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [name, prove] of variants) measured.get(name)!.push(cost(batch, prove))
  process.stdout.write(
    `batches of ${batch}: ${variants.map(([name]) => `${name} ${median(measured.get(name)!).toFixed(1)}`).join(', ')}\n`,
  )
}
