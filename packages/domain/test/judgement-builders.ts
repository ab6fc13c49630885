/** Builds facts for tests: a live Ethereum label and a published set, with the changes of a test. */
import {
  compiledDefaultPolicy,
  judge,
  type Judgement,
  type JudgementFacts,
  type LabelFacts,
  type LabelSetFacts,
} from '../src/index.js'

export const ADDRESS = '0x00000000219ab540356cbb839cbe05303d7705fa'
export const GENERATED_AT = '2026-11-21T09:00:00.000Z'
/** One hour before `GENERATED_AT`. */
export const PUBLISHED_AT = '2026-11-21T08:00:00.000Z'

let made = 0

export function label(changes: Partial<LabelFacts> = {}): LabelFacts {
  made += 1
  return {
    labelId: `label-${made}`,
    source: 'some_list',
    dataset: 'some_list',
    chain: 'ETH',
    address: ADDRESS,
    category: 'scam',
    subcategory: '',
    role: 'owner',
    entity: 'Some Entity',
    origin: 'some-origin',
    kind: 'forensic',
    confidencePpm: 800_000,
    sourceUrl: 'https://example.org/list',
    observedAt: '2026-08-20',
    validFrom: null,
    validTo: null,
    sanction: null,
    knownFrom: PUBLISHED_AT,
    knownTo: null,
    ...changes,
  }
}

export const ofacLabel = (changes: Partial<LabelFacts> = {}): LabelFacts =>
  label({
    source: 'ofac_sdn',
    dataset: 'ofac_sdn',
    category: 'sanctions',
    origin: 'us-ofac',
    kind: 'designation',
    entity: 'Designated Group',
    confidencePpm: 990_000,
    ...changes,
  })

export const restatement = (changes: Partial<LabelFacts> = {}): LabelFacts =>
  label({
    source: 'some_pack',
    dataset: 'some_pack',
    category: 'sanctions',
    origin: 'us-ofac',
    kind: 'restatement',
    confidencePpm: 900_000,
    ...changes,
  })

export const cleanLabel = (changes: Partial<LabelFacts> = {}): LabelFacts =>
  label({
    category: 'clean_exchange',
    origin: 'exchange',
    entity: 'Some Exchange',
    confidencePpm: 850_000,
    ...changes,
  })

export function labelSet(changes: Partial<LabelSetFacts> = {}): LabelSetFacts {
  return {
    source: 'some_list',
    dataset: 'some_list',
    sha256: 'a'.repeat(64),
    importId: 'import-1',
    labelSetSeq: 1,
    publishedAt: PUBLISHED_AT,
    asOf: '2026-08-20',
    authorityOrigin: '',
    whole: changes.authorityOrigin !== undefined && changes.authorityOrigin !== '',
    confirmedAt: null,
    refreshConfigured: false,
    total: 1_000,
    visible: changes.total ?? 1_000,
    staleBase: false,
    rows: { read: 1_000, refused: 0, skipped: 0, unreadable: 0, accepted: 0 },
    versionOf: [],
    parties: [],
    ...changes,
  }
}

export const ofacSet = (changes: Partial<LabelSetFacts> = {}): LabelSetFacts =>
  labelSet({
    source: 'ofac_sdn',
    dataset: 'ofac_sdn',
    authorityOrigin: 'us-ofac',
    asOf: '2026-11-20',
    // Unless a test says otherwise, every set is a version of the one list.
    versionOf: ['ofac_sdn/ofac_sdn'],
    ...changes,
  })

/** The whole list of an authority that no policy requires. */
export const foreignList = (changes: Partial<LabelSetFacts> = {}): LabelSetFacts =>
  labelSet({ source: 'foreign', dataset: 'foreign', authorityOrigin: 'foreign-authority', ...changes })

export function judged(labels: readonly LabelFacts[], changes: Partial<JudgementFacts> = {}): Judgement {
  return judge({
    chain: 'ETH',
    canonicalAddress: ADDRESS,
    labels,
    labelSets: [labelSet(), ofacSet()],
    labelView: 'current',
    chainKnowledge: { status: 'unavailable' },
    generatedAt: GENERATED_AT,
    policy: compiledDefaultPolicy,
    ...changes,
  })
}

/** The score in points. */
export const scoreOf = (judgement: Judgement): number => judgement.overallHundredths / 100
