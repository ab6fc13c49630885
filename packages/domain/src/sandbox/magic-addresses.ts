/**
 * Addresses with a fixed meaning in the sandbox, on every EVM chain, and with no meaning for a live key. Their labels are invented; their
 * reports are judged like any other. docs/sandbox.md lists them; a test compares.
 */
import type { Category, ProblemCode, RiskLevel } from '@cupel/contracts'
import type { LabelFacts, LabelSetFacts } from '../scorer/index.js'

export interface MagicReport {
  readonly level: RiskLevel
  readonly score: number
  readonly category: Category
  /** Confidence of its one label, parts per million. */
  readonly confidencePpm: number
}

const PREFIX = '0xc0be1'
const ADDRESS_LENGTH = 42

function magic(suffix: string): string {
  return PREFIX + suffix.padStart(ADDRESS_LENGTH - PREFIX.length, '0')
}

/** By canonical address. Scores follow from the default policy, which always applies in the sandbox. */
export const magicReports: ReadonlyMap<string, MagicReport> = new Map<string, MagicReport>([
  [magic('01'), { level: 'green', score: 0, category: 'clean_exchange', confidencePpm: 900_000 }],
  [magic('02'), { level: 'grey', score: 0, category: 'clean_exchange', confidencePpm: 500_000 }],
  [magic('03'), { level: 'orange', score: 42.5, category: 'mixer', confidencePpm: 500_000 }],
  [magic('04'), { level: 'red', score: 100, category: 'sanctions', confidencePpm: 1_000_000 }],
  [magic('05'), { level: 'red', score: 85.5, category: 'darknet', confidencePpm: 900_000 }],
  [magic('06'), { level: 'red', score: 85.5, category: 'stolen', confidencePpm: 900_000 }],
  [magic('07'), { level: 'red', score: 81, category: 'scam', confidencePpm: 900_000 }],
  [magic('08'), { level: 'red', score: 76.5, category: 'mixer', confidencePpm: 900_000 }],
])

/** A screening that takes this long is slow, and well within the default deadline. */
export const MAGIC_DELAY_MS = 3_000
/** Answered like the green one, after MAGIC_DELAY_MS. */
export const MAGIC_SLOW_ADDRESS = magic('de1a')

/** Problems that a screening can return, by canonical address. */
export const magicProblems: ReadonlyMap<string, ProblemCode> = new Map<string, ProblemCode>([
  [magic('e4001'), 'invalid_request'],
  [magic('e4002'), 'invalid_address'],
  [magic('e4011'), 'invalid_key'],
  [magic('e4031'), 'scope_required'],
  [magic('e4032'), 'ip_not_allowed'],
  [magic('e4033'), 'https_required'],
  [magic('e4091'), 'idempotency_in_progress'],
  [magic('e4131'), 'payload_too_large'],
  [magic('e4151'), 'unsupported_media_type'],
  [magic('e4221'), 'unsupported_chain'],
  [magic('e4222'), 'chain_mismatch'],
  [magic('e4223'), 'idempotency_mismatch'],
  [magic('e4291'), 'rate_limited'],
  [magic('e4292'), 'too_many_failures'],
  [magic('e5001'), 'internal_error'],
  [magic('e5002'), 'screening_failed'],
  [magic('e5031'), 'unavailable'],
  [magic('e5032'), 'screening_timeout'],
])

const SOURCE = 'cupel_sandbox'
const DATASET = 'magic-addresses'
/** Fixed, so that a sandbox report differs between installations only in its id and its times. */
const SANDBOX_BEGAN_AT = '2026-01-01T00:00:00.000Z'

const magicSet: LabelSetFacts = {
  source: SOURCE,
  dataset: DATASET,
  sha256: '',
  importId: 'sandbox',
  labelSetSeq: 0,
  publishedAt: SANDBOX_BEGAN_AT,
  asOf: '2026-01-01',
  // It takes the place of OFAC's list, without which nothing is green.
  authorityOrigin: 'us-ofac',
  whole: true,
  confirmedAt: null,
  refreshConfigured: false,
  total: magicReports.size,
  visible: magicReports.size,
  staleBase: false,
  rows: { read: magicReports.size, refused: 0, skipped: 0, unreadable: 0, accepted: 0 },
  versionOf: [],
  parties: [],
}

export interface SandboxLabels {
  readonly labelsAsOf: string
  readonly labelSets: readonly LabelSetFacts[]
  readonly labels: readonly LabelFacts[]
}

/**
 * The labels of an address in the sandbox: one for a magic address, none for any other. Live labels have no effect. The list of the
 * sandbox was confirmed at the beginning of the UTC day of `generatedAt`, so it never grows old.
 */
export function sandboxLabels(canonicalAddress: string, chain: string, generatedAt: string): SandboxLabels {
  const confirmedAt = `${generatedAt.slice(0, 'YYYY-MM-DD'.length)}T00:00:00.000Z`
  const lists = { labelsAsOf: SANDBOX_BEGAN_AT, labelSets: [{ ...magicSet, confirmedAt }] }
  const meaning = canonicalAddress === MAGIC_SLOW_ADDRESS ? magic('01') : canonicalAddress
  const report = magicReports.get(meaning)
  if (report === undefined) return { ...lists, labels: [] }
  const label: LabelFacts = {
    labelId: `${SOURCE}/${canonicalAddress}`,
    source: SOURCE,
    dataset: DATASET,
    chain,
    address: canonicalAddress,
    category: report.category,
    subcategory: '',
    role: 'owner',
    entity: `Sandbox ${report.category}`,
    origin: SOURCE,
    kind: 'forensic',
    confidencePpm: report.confidencePpm,
    sourceUrl: '',
    observedAt: '2026-01-01',
    validFrom: null,
    validTo: null,
    sanction: null,
    knownFrom: SANDBOX_BEGAN_AT,
    knownTo: null,
  }
  return { ...lists, labels: [label] }
}
