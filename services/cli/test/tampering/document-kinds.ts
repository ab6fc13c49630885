/** Changes presented reports and proofs, and the keys with which they are checked. */
import { UnprovenReportError, verifyReport } from '@cupel/evidence/transparency'
import type { Evidence, ProvenDocument } from './evidence.js'
import { below, flipped, oneOf, otherDigit, type Kind, type Random } from './kinds.js'
import { foreignKeys } from './transparency-kinds.js'

export interface Shown {
  readonly report: Buffer
  readonly proof: Buffer
}

const shownOf = ({ document, proof }: ProvenDocument): Shown => ({
  report: Buffer.from(document),
  proof: Buffer.from(proof),
})

/** Changes a line of a proof, but not the empty one at its end. */
function lineChanged(random: Random, text: string, change: (lines: string[], at: number) => void): string {
  const lines = text.split('\n')
  change(lines, below(random, lines.length - 1))
  return lines.join('\n')
}

interface Way {
  readonly weight: number
  /** What is changed; the refusal names it. */
  readonly of: keyof Shown
  /** `others`: the reports and proofs that are not changed. */
  readonly change: (bytes: Buffer, random: Random, others: readonly Shown[]) => Buffer
}

const NAMES = {
  report: /The report is not the one of the leaf/,
  proof: /[Pp]roof|[Pp]ath|[Ll]eaf|[Cc]heckpoint|signed/,
}

const ofText =
  (change: (text: string, random: Random) => string): Way['change'] =>
  (bytes, random) =>
    Buffer.from(change(bytes.toString(), random))

const ofLines = (change: (lines: string[], at: number) => void): Way['change'] =>
  ofText((text, random) => lineChanged(random, text, change))

const ways: Readonly<Record<string, Way>> = {
  'a flipped bit of a report': {
    weight: 20,
    of: 'report',
    change: (bytes, random) => flipped(random, bytes),
  },
  'another digit in a report': { weight: 12, of: 'report', change: ofText(otherDigit) },
  'a report spelt another way': {
    ...{ weight: 4, of: 'report' },
    change: ofText((text, random) => {
      const spelt = JSON.stringify(JSON.parse(text), null, 1 + below(random, 4))
      return spelt.replaceAll('\n', random() < 0.5 ? '\n' : ' ')
    }),
  },
  'members of a report in another order': {
    ...{ weight: 2, of: 'report' },
    change: ofText((text, random) => {
      const members = Object.entries(JSON.parse(text) as object)
      const by = 1 + below(random, members.length - 1)
      return JSON.stringify(Object.fromEntries([...members.slice(by), ...members.slice(0, by)]))
    }),
  },
  'another report with the proof': {
    ...{ weight: 2, of: 'report' },
    change: (_, random, others) => oneOf(random, others).report,
  },
  'a flipped bit of a proof': { weight: 16, of: 'proof', change: (bytes, random) => flipped(random, bytes) },
  'a line of a proof removed': {
    ...{ weight: 2, of: 'proof' },
    change: ofLines((lines, at) => void lines.splice(at, 1)),
  },
  // A repeated signature changes nothing, and is not a tampering.
  'a line of a proof twice': {
    ...{ weight: 2, of: 'proof' },
    change: ofLines((lines, at) => {
      const twice = at % (lines.length - 2)
      lines.splice(twice, 0, lines[twice]!)
    }),
  },
  'two lines of a proof exchanged': {
    ...{ weight: 2, of: 'proof' },
    change: ofLines((lines, at) => {
      const other = at === 0 ? 1 : at - 1
      ;[lines[at], lines[other]] = [lines[other]!, lines[at]!]
    }),
  },
  'a digit of a proof': { weight: 4, of: 'proof', change: ofText(otherDigit) },
}

/** Returns a report with its proof. One of the two always differs from the original. */
function spoilt(evidence: Evidence, random: Random, { of, change }: Way): Shown {
  const all = evidence.reports.map(shownOf)
  for (;;) {
    const at = below(random, all.length)
    const shown = all[at]!
    const others = all.filter((_, index) => index !== at)
    const changed = change(shown[of], random, others)
    if (!changed.equals(shown[of])) return { ...shown, [of]: changed }
  }
}

async function refusalOf(
  { report, proof }: Shown,
  keys: Parameters<typeof verifyReport>[2],
): Promise<string | null> {
  try {
    await verifyReport(report, proof, keys)
    return null
  } catch (error) {
    if (error instanceof UnprovenReportError) return error.message
    throw error
  }
}

export const documentKinds: readonly Kind[] = [
  ...Object.entries(ways).map(([name, way]): Kind => {
    return {
      ...{ surface: 'report and proof', name, weight: way.weight, command: 'cupel verify' },
      async run(evidence, random) {
        const refusal = await refusalOf(spoilt(evidence, random, way), evidence.publicKeys)
        return {
          isFound: refusal !== null,
          isNamed: NAMES[way.of].test(refusal ?? ''),
          detail: `${name}: ${refusal}`,
        }
      },
    }
  }),
  {
    ...{ surface: 'report and proof', name: 'keys replaced', weight: 2, command: 'cupel verify' },
    async run(evidence, random) {
      const refusal = await refusalOf(
        shownOf(oneOf(random, evidence.reports)),
        foreignKeys(evidence).publicKeys,
      )
      return { isFound: refusal !== null, isNamed: /key/.test(refusal ?? ''), detail: String(refusal) }
    },
  },
]

/** Returns `count` changed reports and proofs, using every way in turn. */
export function spoiltDocuments(evidence: Evidence, random: Random, count: number): readonly Shown[] {
  const all = Object.values(ways)
  return Array.from({ length: count }, (_, at) => spoilt(evidence, random, all[at % all.length]!))
}
