/** Changes presented reports and proofs, and the keys with which they are checked. */
import { UnprovenReportError, verifyReport } from '@cupel/evidence/transparency'
import type { Evidence, ProvenDocument } from './evidence.js'
import { below, flipped, oneOf, type Kind, type Random } from './kinds.js'
import { foreignKeys } from './transparency-kinds.js'

export interface Shown {
  readonly report: Buffer
  readonly proof: Buffer
}

type Spoil = (shown: Shown, random: Random, others: readonly Shown[]) => Shown

const shownOf = ({ document, proof }: ProvenDocument): Shown => ({
  report: Buffer.from(document),
  proof: Buffer.from(proof),
})

function ofText(bytes: Buffer, change: (text: string) => string): Buffer {
  return Buffer.from(change(bytes.toString()))
}

function digitChanged(random: Random, text: string): string {
  const digits = [...text.matchAll(/\d/g)].map(({ index }) => index)
  const at = oneOf(random, digits)
  return `${text.slice(0, at)}${(Number(text[at]) + 1 + below(random, 8)) % 10}${text.slice(at + 1)}`
}

/** Changes a line of a proof, but not the empty one at its end. */
function lineChanged(random: Random, text: string, change: (lines: string[], at: number) => void): string {
  const lines = text.split('\n')
  change(lines, below(random, lines.length - 1))
  return lines.join('\n')
}

interface Way {
  readonly weight: number
  readonly spoil: Spoil
  /** The refusal must match this pattern. */
  readonly names: RegExp
}

const REPORT = /The report is not the one of the leaf/
/** Matches every refusal of a proof. */
const PROOF = /[Pp]roof|[Pp]ath|[Ll]eaf|[Cc]heckpoint|signed/

const ways: Readonly<Record<string, Way>> = {
  'a flipped bit of a report': {
    weight: 20,
    names: REPORT,
    spoil: ({ report, proof }, random) => ({ proof, report: flipped(random, report) }),
  },
  'another digit in a report': {
    weight: 12,
    names: REPORT,
    spoil: ({ report, proof }, random) => ({
      proof,
      report: ofText(report, (text) => digitChanged(random, text)),
    }),
  },
  'a report spelt another way': {
    weight: 4,
    names: REPORT,
    spoil: ({ report, proof }, random) => ({
      proof,
      report: ofText(report, (text) =>
        JSON.stringify(JSON.parse(text), null, 1 + below(random, 4)).replaceAll(
          '\n',
          random() < 0.5 ? '\n' : ' ',
        ),
      ),
    }),
  },
  'members of a report in another order': {
    weight: 2,
    names: REPORT,
    spoil: ({ report, proof }, random) => ({
      proof,
      report: ofText(report, (text) => {
        const members = Object.entries(JSON.parse(text) as object)
        const by = 1 + below(random, members.length - 1)
        return JSON.stringify(Object.fromEntries([...members.slice(by), ...members.slice(0, by)]))
      }),
    }),
  },
  'another report with the proof': {
    weight: 2,
    names: REPORT,
    spoil: ({ proof }, random, others) => ({ proof, report: oneOf(random, others).report }),
  },
  'a flipped bit of a proof': {
    weight: 16,
    names: PROOF,
    spoil: ({ report, proof }, random) => ({ report, proof: flipped(random, proof) }),
  },
  'a line of a proof removed': {
    weight: 2,
    names: PROOF,
    spoil: ({ report, proof }, random) => ({
      report,
      proof: ofText(proof, (text) => lineChanged(random, text, (lines, at) => void lines.splice(at, 1))),
    }),
  },
  'a line of a proof twice': {
    weight: 2,
    names: PROOF,
    spoil: ({ report, proof }, random) => ({
      report,
      // A repeated signature changes nothing, and is not a tampering.
      proof: ofText(proof, (text) =>
        lineChanged(
          random,
          text,
          (lines, at) => void lines.splice(at % (lines.length - 2), 0, lines[at % (lines.length - 2)]!),
        ),
      ),
    }),
  },
  'two lines of a proof exchanged': {
    weight: 2,
    names: PROOF,
    spoil: ({ report, proof }, random) => ({
      report,
      proof: ofText(proof, (text) =>
        lineChanged(random, text, (lines, at) => {
          const other = at === 0 ? 1 : at - 1
          ;[lines[at], lines[other]] = [lines[other]!, lines[at]!]
        }),
      ),
    }),
  },
  'a digit of a proof': {
    weight: 4,
    names: PROOF,
    spoil: ({ report, proof }, random) => ({
      report,
      proof: ofText(proof, (text) => digitChanged(random, text)),
    }),
  },
}

/** Returns a report with its proof. One of the two always differs from the original. */
function spoilt(evidence: Evidence, random: Random, { spoil }: Way): Shown {
  const all = evidence.reports.map(shownOf)
  for (;;) {
    const at = below(random, all.length)
    const shown = all[at]!
    const others = all.filter((_, index) => index !== at)
    const changed = spoil(shown, random, others)
    if (!changed.report.equals(shown.report) || !changed.proof.equals(shown.proof)) return changed
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
          isNamed: way.names.test(refusal ?? ''),
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
