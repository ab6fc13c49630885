/** Constant proofs of the case of a report, made by hand, and ways to break them. */
import { DOCUMENT_HASH, entryOf, madeProof, REPORT, SALT, sha256 } from './made-proof.js'

const TEXT_SALT = sha256('text salt')
const sealedOf = (plain: string): string =>
  `sealed1.00112233aabbccdd.${Buffer.concat([
    sha256(TEXT_SALT, plain),
    Buffer.from('what only the key opens, and its tag'),
  ]).toString('base64url')}`
const opening = (plain: string) => [sealedOf(plain), plain, TEXT_SALT.toString('base64')]

const NOTE = 'The customer says “it is mine”.\n\\ud83d 😀\u2028'
const [ANN, REASON] = ['Ann', 'erased']
const entry = (version: number, more: object) => ({
  ...{ report_id: '00000000000000a1', version, kind: 'note', at: `2026-11-21T09:00:0${version}.012Z` },
  ...{ key_id: '8f2k1m0a', person: '', subject: '', text: 'Seen.' },
  ...{ disposition: null, previous_disposition: null, proposal_version: null, ...more },
})
const person = { person: sealedOf(ANN), subject: sealedOf('ann@example') }
const proposal = { kind: 'disposition_proposed', disposition: 'cleared', ...person, text: sealedOf(REASON) }
const CASE = [
  entry(1, { text: sealedOf(NOTE) }),
  entry(2, proposal),
  entry(3, { kind: 'disposition_changed', disposition: 'cleared', proposal_version: 2 }),
]
const OPENINGS = [[opening(NOTE)], [opening(REASON), opening(ANN)], []]

interface MadeEntry {
  text: string
  salt: string
  leaf: string
  index: number
  path: readonly string[]
  openings: readonly unknown[]
}
type Change = (entries: MadeEntry[]) => readonly unknown[]

const textOf = (fields: object): string => JSON.stringify(['cupel-case-entry-1', fields])
const leafOf = (text: string): string => entryOf(`"${sha256(SALT, text).toString('base64')}"`)
const partsOf = ({ salt, leaf, index, path, text, openings }: MadeEntry) => [
  ...[salt, leaf, index, path, text, openings],
]

interface MadeCase {
  readonly texts?: readonly string[]
  readonly indexes?: readonly number[]
  readonly openings?: readonly (readonly unknown[])[]
  /** Returns the lines: arrays, or whole texts. */
  readonly change?: Change
}

function caseProof({
  texts = CASE.map(textOf),
  indexes = [12, 13, 299],
  openings = OPENINGS,
  change = (entries) => entries.map(partsOf),
}: MadeCase = {}): string {
  return madeProof({
    entry: entryOf(`"${DOCUMENT_HASH}"`),
    others: new Map(texts.map((text, at) => [indexes[at]!, leafOf(text)])),
    behind(pathOf) {
      const made = texts.map((text, at): MadeEntry => {
        const index = indexes[at]!
        const salt = SALT.toString('base64')
        return { text, salt, leaf: leafOf(text), index, path: pathOf(index), openings: openings[at]! }
      })
      return change(made)
        .map((each) => `\n${typeof each === 'string' ? each : JSON.stringify(each)}`)
        .join('')
    },
  })
}

const only = (at: number, change: (entry: MadeEntry) => Partial<MadeEntry>): Change => {
  return (entries) =>
    entries.map((each, index) => partsOf(index === at ? { ...each, ...change(each) } : each))
}
const spelt = (change: (line: string) => string): Change => {
  return (entries) => entries.map((each) => change(JSON.stringify(partsOf(each))))
}
const texts = (...entries: readonly object[]): readonly string[] => entries.map(textOf)
const [first, second, third] = CASE as [object, object, object]
const isMissing = (at: number): Change => {
  return (entries) => entries.filter((_, index) => index !== at).map(partsOf)
}

/** Name and proof of `REPORT`. */
export const GOOD_CASES: readonly (readonly [string, string])[] = [
  ['the case with all its texts', caseProof()],
  ['the case whose texts were erased', caseProof({ openings: [[], [], []] })],
  ['the case with one text of two', caseProof({ openings: [[opening(NOTE)], [opening(ANN)], []] })],
  ['the first entries of the case', caseProof({ change: isMissing(2) })],
]

export const BAD_CASES: readonly (readonly [string, string])[] = [
  ['a case without its first entry', caseProof({ change: isMissing(0) })],
  ['a case without an entry between', caseProof({ change: isMissing(1) })],
  ['an entry twice', caseProof({ change: ([one, two]) => [one!, one!, two!].map(partsOf) })],
  ['two entries exchanged', caseProof({ change: ([one, two, three]) => [two!, one!, three!].map(partsOf) })],
  ['leaves in another order than the entries', caseProof({ indexes: [13, 12, 299] })],
  [
    'an entry of another report',
    caseProof({ texts: texts(first, second, { ...third, report_id: '00000000000000a2' }) }),
  ],
  ['a version that is a text', caseProof({ texts: texts({ ...first, version: '1' }, second, third) })],
  ['another text', caseProof({ change: only(2, ({ text }) => ({ text: text.replace('Seen', 'seen') })) })],
  ['another time', caseProof({ change: only(0, ({ text }) => ({ text: text.replace('09:', '10:') })) })],
  ['a member more', caseProof({ change: only(2, ({ text }) => ({ text: text.replace('}', ',"a":1}') })) })],
  ['another salt', caseProof({ change: only(1, () => ({ salt: TEXT_SALT.toString('base64') })) })],
  ['another place', caseProof({ change: only(1, () => ({ index: 14 })) })],
  ['a place below zero', caseProof({ change: only(0, () => ({ index: -1 })) })],
  ['a place between two', caseProof({ change: only(0, () => ({ index: 12.5 })) })],
  ['a place behind the tree', caseProof({ change: only(2, () => ({ index: 300 })) })],
  ['a shorter path', caseProof({ change: only(1, ({ path }) => ({ path: path.slice(1) })) })],
  [
    'a longer path than any tree has',
    caseProof({ change: only(1, ({ path }) => ({ path: Array<string>(80).fill(path[0]!) })) }),
  ],
  ['a hash that is too short', caseProof({ change: only(1, () => ({ path: ['AAAA'] })) })],
  ['a leaf without a document', caseProof({ change: only(1, () => ({ leaf: entryOf(null) })) })],
  ['the leaf of another entry', caseProof({ change: only(1, () => ({ leaf: leafOf(textOf(first)) })) })],
  ['a report as an entry', caseProof({ texts: [...texts(first, second), REPORT.toString()] })],
  [
    'an entry of another format',
    caseProof({ texts: CASE.map((each) => textOf(each).replace('-1"', '-2"')) }),
  ],
  ['another plain text', caseProof({ openings: [[[sealedOf(NOTE), 'Mine.', opening(NOTE)[2]]], [], []] })],
  [
    'another salt of a text',
    caseProof({ openings: [[[...opening(NOTE).slice(0, 2), SALT.toString('base64')]], [], []] }),
  ],
  ['the plain text of another sealed one', caseProof({ openings: [[opening('Another text')], [], []] })],
  ['a plain text twice', caseProof({ openings: [[opening(NOTE), opening(NOTE)], [], []] })],
  ['the plain identifier of a person', caseProof({ openings: [[], [opening('ann@example')], []] })],
  [
    'a plain text for one that is not sealed',
    caseProof({ openings: [[], [], [['Seen.', 'seen.', opening('')[2]]]] }),
  ],
  [
    'a plain text that is a number',
    caseProof({ openings: [[[sealedOf(NOTE), 7, opening(NOTE)[2]]], [], []] }),
  ],
  ['half a character in a plain text', caseProof({ openings: [[opening('\ud83d')], [], []] })],
  ['a space in an entry', caseProof({ change: spelt((line) => line.replace(',', ', ')) })],
  [
    'an escape that is not needed',
    caseProof({ change: spelt((line) => line.replace('customer', '\\u0063ustomer')) }),
  ],
  ['a part less', caseProof({ change: (entries) => entries.map((each) => partsOf(each).slice(0, 5)) })],
  ['a part more', caseProof({ change: (entries) => entries.map((each) => [...partsOf(each), 1]) })],
  ['an entry that is cut off', caseProof({ change: spelt((line) => line.slice(0, -1)) })],
  ['an empty line before the entries', caseProof({ change: (entries) => ['', ...entries.map(partsOf)] })],
  ['an empty line after the entries', caseProof({ change: (entries) => [...entries.map(partsOf), ''] })],
  ['a text behind an entry', caseProof({ change: spelt((line) => `${line} `) })],
]

/** An entry of a case that is given as a report, with the proof of its leaf. */
export const ENTRY_AS_REPORT = {
  report: Buffer.from(textOf(first)),
  proof: madeProof({ entry: leafOf(textOf(first)) }),
}
export const CASE_PROOF = caseProof()
export const SHOWN_CASE = [
  { version: 1, person: null, text: NOTE, kind: 'note' },
  { version: 2, person: ANN, text: REASON, kind: 'disposition_proposed', subject: sealedOf('ann@example') },
  { version: 3, person: null, text: 'Seen.', disposition: 'cleared', proposalVersion: 2, index: 299 },
]
