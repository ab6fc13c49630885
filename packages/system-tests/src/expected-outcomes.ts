/** What the quick starts print for samples of the product, and for the cases of signed records. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import avro from 'avsc'
import { GOLDEN, LATER_DATA, laterSchema, samplesOf } from './foreign-records.js'
import { checkout } from './installation.js'

export const OUTCOMES = ['ReportGenerated', 'ScreeningFailed']
export const RECORD_CASES = join(checkout, 'packages/sdk-conformance/cases/generated/records.json')

interface RecordCase {
  readonly name: string
  readonly steps: readonly [
    { readonly expect: { readonly equals?: string; readonly error?: { readonly reason?: string } } },
  ]
}

export interface VerifiedCase {
  readonly name: string
  /** The id of the key, the reason of a refusal, or `unusable`. */
  readonly outcome: string
}

export function verifiedCases(): readonly VerifiedCase[] {
  const cases = JSON.parse(readFileSync(RECORD_CASES, 'utf8')) as readonly RecordCase[]
  return cases.map(({ name, steps: [{ expect: wanted }] }) => ({
    ...{ name, outcome: wanted.equals ?? wanted.error?.reason ?? 'unusable' },
  }))
}

/** The line that a quick start prints for an event. */
export function lineOf(type: string, event: Readonly<Record<string, unknown>>): object {
  const { reportId, accountId, livemode } = event
  const common = { type, report_id: reportId, account_id: accountId, livemode }
  if (type === 'ScreeningFailed') return { ...common, code: event['code'] }
  const { address, chain, level, score } = event
  return { ...common, address, chain, level, score }
}

/** Copies the samples of the outcomes, adds one of a later release to each, and states the output expected of a subscriber. */
export async function withGolden(
  use: (folder: string, expected: readonly object[]) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-golden-'))
  try {
    for (const type of OUTCOMES) {
      cpSync(join(GOLDEN, type), join(folder, type), { recursive: true })
      writeLaterRelease(join(folder, type))
    }
    const expected = OUTCOMES.flatMap((type) => {
      const lines = samplesOf(type).map((sample) => lineOf(type, sample))
      // The later release has the values of the newest sample and further fields.
      return [...lines, lines.at(-1)!]
    })
    if (expected.length <= 3) throw new Error('There are too few samples')
    await use(folder, expected)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Adds the newest sample as a later release would write it: its schema has further fields, at the front, at the end and nested. */
function writeLaterRelease(folder: string): void {
  const newest = Math.max(...readdirSync(folder).map((name) => Number.parseInt(name, 10)))
  const read = (end: string): string => readFileSync(join(folder, `${newest}.${end}`), 'utf8')
  const schema = JSON.parse(read('avsc')) as { namespace: string; fields: readonly object[] }
  const later = laterSchema(schema)
  const data = { ...(JSON.parse(read('json')) as object), ...LATER_DATA }
  const written = avro.Type.forSchema(later as avro.Schema, { wrapUnions: 'never' }).toBuffer(data)
  writeFileSync(join(folder, `${newest + 1}.bin`), written)
  writeFileSync(join(folder, `${newest + 1}.avsc`), JSON.stringify(later))
  writeFileSync(join(folder, `${newest + 1}.json`), JSON.stringify(data))
}
