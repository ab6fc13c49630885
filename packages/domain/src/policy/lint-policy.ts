/**
 * Effects of a valid policy that its author may not want. An error is a setting that hides something or has no effect; such a policy is not
 * activated. A warning is a choice that the author should check.
 */
import { authorityOrigins } from '../labels/origin-table.js'
import { confidenceLadder } from '../labels/vocabulary.js'
import {
  riskCategories,
  roles,
  type ExposurePolicyDocument,
  type PolicyDocument,
  type RiskCategory,
} from '../scorer/index.js'

export interface PolicyFinding {
  readonly severity: 'error' | 'warning'
  /** Stable name of the rule. */
  readonly rule: string
  /** The setting, names joined by dots. */
  readonly path: string
  /** A sentence. */
  readonly message: string
}

/** Below it, a clean attribution is as likely wrong as right. */
const LEAST_CLEAN_CONFIDENCE = 0.5
/** Below it, green would be said of an address most of whose value nobody explains. */
const LEAST_ATTRIBUTED_SHARE = 0.5
/** Above it, much of what came in could be illicit. */
const MOST_DOUBTFUL_SHARE = 0.1
/** Above it, official documents about a counterparty would not be scored. */
const MOST_SOURCE_CONFIDENCE = 0.75
/** Below it, a handful of strangers make an address look like a service. */
const LEAST_HUB_COUNTERPARTIES = 100
const LEAST_TRANSFERS = 100
const MOST_SHARE_FROM = 0.1
/** Above it, statements of courts and police would be shown and not used. */
const MOST_MINIMUM_CONFIDENCE = 0.75
/** The judgement shows labels below it without using them, so no finding is needed. */
const UNUSED_CONFIDENCE = 0.3
const MOST_AUTHORITY_AGE_HOURS = 168
const MOST_AGE_HOURS = 2_160
/** A year. From then on a list that nobody refreshes any more would be fresh. */
const LAST_AGE_HOURS = 8_760

/** Findings of a document with a valid form, errors first, in a fixed order. */
export function lintPolicy(document: PolicyDocument): readonly PolicyFinding[] {
  const findings = [
    ...riskCategories.flatMap((category) => hiddenCategory(document, category)),
    ...lintRoles(document),
    ...lintOwnership(document),
    ...lintGreen(document),
    ...lintFreshness(document),
    ...lintExposure(document),
    ...lintSearch(document),
    ...lintCluster(document),
    ...lintTransfers(document),
  ]
  return [
    ...findings.filter(({ severity }) => severity === 'error'),
    ...findings.filter(({ severity }) => severity === 'warning'),
  ]
}

const error = (rule: string, path: string, message: string): PolicyFinding => ({
  severity: 'error',
  rule,
  path,
  message,
})
const warning = (rule: string, path: string, message: string): PolicyFinding => ({
  severity: 'warning',
  rule,
  path,
  message,
})

/** Points of a certain label about the owner. */
function certainPoints({ weights, roles: factors }: PolicyDocument, category: RiskCategory): number {
  return 100 * weights[category] * factors.owner
}

function hiddenCategory(document: PolicyDocument, category: RiskCategory): readonly PolicyFinding[] {
  const { levels } = document
  const path = `weights.${category}`
  const most = certainPoints(document, category)
  const reach = `The owner of an address that is certainly ${category} scores ${pointsText(most)}`
  if (most < levels.orange)
    return [error('hidden-category', path, `${reach}, below orange: the category would be hidden.`)]
  if (most >= levels.red) return []
  // The floor of a live designation stays at 100; statements of a court or a restated list would fall below it.
  if (category === 'sanctions')
    return [
      error('sanctions-below-red', path, `${reach}, below red. Only live designations keep their fixed 100.`),
    ]
  return [warning('never-red', path, `${reach}: by itself it is never red.`)]
}

function lintRoles({ roles: factors }: PolicyDocument): readonly PolicyFinding[] {
  return roles.flatMap((role) => {
    const path = `roles.${role}`
    if (factors[role] === 0)
      return [warning('role-unused', path, `Facts about ${role} addresses count nothing.`)]
    if (factors[role] > factors.owner)
      return [warning('role-above-owner', path, 'It weighs more than the owner of the address.')]
    return []
  })
}

function lintOwnership({ ownership }: PolicyDocument): readonly PolicyFinding[] {
  const findings: PolicyFinding[] = []
  const { minimum_confidence: minimum, combined_from: from, combined_cap: cap } = ownership
  const path = 'ownership.minimum_confidence'
  const hidden = Object.entries(confidenceLadder)
    .map(([kind, confidencePpm]) => ({ kind, confidence: confidencePpm / 1_000_000 }))
    .filter(({ confidence }) => confidence >= UNUSED_CONFIDENCE && confidence < minimum)
  if (minimum > MOST_MINIMUM_CONFIDENCE)
    findings.push(
      error(
        'hidden-evidence',
        path,
        `Labels below ${minimum} would not count, official documents among them.`,
      ),
    )
  else if (hidden.length > 0)
    findings.push(
      warning('hidden-evidence', path, `Labels of these kinds do not count by default: ${names(hidden)}.`),
    )
  if (cap <= from)
    findings.push(
      warning('combination-unused', 'ownership.combined_cap', 'Several origins never say more than one.'),
    )
  if (cap === 1)
    findings.push(
      warning('combination-certain', 'ownership.combined_cap', 'Several doubtful origins come to certainty.'),
    )
  return findings
}

const names = (kinds: readonly { readonly kind: string }[]): string =>
  kinds.map(({ kind }) => kind).join(', ')

function lintGreen({ green }: PolicyDocument): readonly PolicyFinding[] {
  const findings: PolicyFinding[] = []
  const { clean_confidence: clean, attributed_share: attributed, doubtful_share: doubtful } = green
  if (clean < LEAST_CLEAN_CONFIDENCE) {
    const message = `A clean attribution of ${clean} is more likely wrong than right, and would be green.`
    findings.push(error('weak-green', 'green.clean_confidence', message))
  }
  if (attributed < LEAST_ATTRIBUTED_SHARE) {
    const message = `An address would be green although ${percentText(1 - attributed)} of what came in is explained by nobody.`
    findings.push(error('weak-green', 'green.attributed_share', message))
  }
  if (doubtful > MOST_DOUBTFUL_SHARE) {
    const message = `An address would be green although up to ${percentText(doubtful)} of what came in is dust of illicit sources.`
    findings.push(error('weak-green', 'green.doubtful_share', message))
  }
  return findings
}

function lintFreshness({ freshness }: PolicyDocument): readonly PolicyFinding[] {
  const findings: PolicyFinding[] = []
  const { required, max_age_hours: maxAge, max_age_hours_by_origin: byOrigin } = freshness
  const authorities = new Set(Object.values(authorityOrigins))
  const known = [...authorities].sort().join(', ')
  for (const [index, { origin }] of required.entries()) {
    const path = `freshness.required.${index}`
    if (!authorities.has(origin))
      findings.push(
        error('unknown-list', `${path}.origin`, `Nobody can import a list of ${origin}; known are ${known}.`),
      )
    if (required.findIndex((other) => other.origin === origin) < index)
      findings.push(warning('repeated-list', path, `${origin} is required twice.`))
  }
  for (const origin of [...authorities].sort()) {
    if (!required.some((list) => list.origin === origin))
      findings.push(
        warning(
          'list-not-required',
          'freshness.required',
          `The sanctions list of ${origin} may grow old unseen.`,
        ),
      )
  }
  const old = (hours: number, path: string, message: string): void =>
    void findings.push((hours > LAST_AGE_HOURS ? error : warning)('old-lists', path, message))
  if (maxAge > MOST_AGE_HOURS)
    old(maxAge, 'freshness.max_age_hours', `Lists count as fresh for ${days(maxAge)}.`)
  for (const [origin, hours] of Object.entries(byOrigin)) {
    const path = `freshness.max_age_hours_by_origin.${origin}`
    if (!authorities.has(origin))
      findings.push(error('unknown-list', path, `Nobody can import a list of ${origin}; known are ${known}.`))
    else if (hours > MOST_AUTHORITY_AGE_HOURS)
      old(hours, path, `An authority’s list counts as fresh for ${days(hours)}.`)
  }
  return findings
}

function lintExposure(document: PolicyDocument): readonly PolicyFinding[] {
  const section = document.exposure
  const findings: PolicyFinding[] = [...lintCaps(document, section)]
  // In points that the weight of sanctions lowers: what counts is the score.
  if (section.direct_sanctions_minimum * document.weights.sanctions < document.levels.orange)
    findings.push(
      error(
        'hidden-exposure',
        'exposure.direct_sanctions_minimum',
        `Who paid a sanctioned address scores at least ${section.direct_sanctions_minimum}, which is below orange.`,
      ),
    )
  if (section.pre_designation_cap * document.weights.sanctions < document.levels.orange)
    findings.push(
      warning(
        'hidden-exposure',
        'exposure.pre_designation_cap',
        `Dealings before a designation score at most ${section.pre_designation_cap}, which is below orange.`,
      ),
    )
  if (section.severe.minimum < document.levels.orange)
    findings.push(
      warning(
        'hidden-exposure',
        'exposure.severe.minimum',
        `Who paid ransomware, terrorist financing or child sexual abuse material scores at least ${section.severe.minimum}, which is below orange.`,
      ),
    )
  if (section.coinjoin_maximum >= document.levels.orange)
    findings.push(
      warning('coinjoin-scored', 'exposure.coinjoin_maximum', 'Privacy by itself would be orange.'),
    )
  if (section.method === 'poison')
    findings.push(
      warning('value-not-conserved', 'exposure.method', 'Poison makes more tainted value than there was.'),
    )
  if (section.hops < 2)
    findings.push(
      warning('never-green-by-history', 'exposure.hops', 'An examined history needs two hops to be green.'),
    )
  return findings
}

/** Settings of the search with which a counterparty that matters would be lost, or explained away. */
function lintSearch({ exposure: section, levels }: PolicyDocument): readonly PolicyFinding[] {
  const findings: PolicyFinding[] = []
  const of = (isWrong: boolean, path: string, message: string): void => {
    if (isWrong) findings.push(error('hidden-exposure', `exposure.${path}`, message))
  }
  const { limits, share } = section
  of(
    section.source_confidence > MOST_SOURCE_CONFIDENCE,
    'source_confidence',
    `Sources below ${section.source_confidence} would be shown and not scored, official documents among them.`,
  )
  of(
    section.service_confidence < LEAST_CLEAN_CONFIDENCE,
    'service_confidence',
    'A label that is more likely wrong than right would end the search.',
  )
  of(
    section.clean_service_confidence < LEAST_CLEAN_CONFIDENCE,
    'clean_service_confidence',
    'Funds that pass through an address would not count by a label that is more likely wrong than right.',
  )
  of(
    limits.hub_counterparties < LEAST_HUB_COUNTERPARTIES,
    'limits.hub_counterparties',
    `An address with more than ${limits.hub_counterparties} counterparties would end the search: a stranger can make one so.`,
  )
  of(limits.transfers < LEAST_TRANSFERS, 'limits.transfers', 'Almost nothing of an address would be read.')
  of(
    limits.intermediaries === 0,
    'limits.intermediaries',
    'No path would be followed through another address.',
  )
  of(
    limits.intermediaries > 0 && limits.transfers_of_intermediaries === 0,
    'limits.transfers_of_intermediaries',
    'No path would be followed through another address.',
  )
  of(
    share.sanctions.from > MOST_SHARE_FROM || share.other.from > MOST_SHARE_FROM,
    'share',
    'A large share of illicit value would score nothing.',
  )
  of(
    section.size_factor.sanctions === 0,
    'size_factor.sanctions',
    'A large amount from a sanctioned party would score nothing if it is a small share.',
  )
  of(
    section.unproven_maximum < levels.orange,
    'unproven_maximum',
    'Any dealing whose execution is not proven would stay below orange.',
  )
  return findings
}

/** Common spending groups addresses of one owner, and often of several owners. */
function lintCluster({ cluster, levels }: PolicyDocument): readonly PolicyFinding[] {
  const findings: PolicyFinding[] = []
  if (cluster.maximum >= levels.red)
    findings.push(
      warning(
        'cluster-red',
        'cluster.maximum',
        'A label of another address would be red without any other evidence.',
      ),
    )
  if (100 * Math.min(cluster.confidence_factor, cluster.maximum / 100) < levels.orange)
    findings.push(
      warning('hidden-cluster', 'cluster', 'Facts about other addresses of the owner stay below orange.'),
    )
  return findings
}

/** What is recommended for transfers. `policyFault` refuses what nobody may recommend. */
function lintTransfers({ transfers }: PolicyDocument): readonly PolicyFinding[] {
  if (transfers === undefined) return []
  const findings: PolicyFinding[] = []
  const { levels: byLevel, designated, illicit_share: share } = transfers
  if (share > MOST_SHARE_FROM) {
    const message = `Up to ${percentText(share)} of illicit funds would ask for no review.`
    findings.push(error('hidden-exposure', 'transfers.illicit_share', message))
  }
  if (byLevel.orange === 'allow')
    findings.push(
      warning('orange-allowed', 'transfers.levels.orange', 'Transfers with orange counterparties pass.'),
    )
  if (byLevel.green !== 'allow')
    findings.push(warning('never-allowed', 'transfers.levels.green', 'No transfer passes without a person.'))
  if (designated !== 'reject')
    findings.push(
      warning(
        'designated-not-rejected',
        'transfers.designated',
        'A person could let a transfer with a designated counterparty pass.',
      ),
    )
  return findings
}

function lintCaps(document: PolicyDocument, { caps }: ExposurePolicyDocument): readonly PolicyFinding[] {
  const { weights, levels } = document
  return riskCategories.flatMap((category) => {
    const { direct, indirect } = caps[category]
    const findings: PolicyFinding[] = []
    if (category === 'sanctions' && weights.sanctions * Math.min(direct.in, direct.out) < levels.orange)
      findings.push(
        error(
          'hidden-exposure',
          'exposure.caps.sanctions.direct',
          'Direct dealings with sanctioned addresses would stay below orange.',
        ),
      )
    if (direct.in === 0 || direct.out === 0 || indirect.in === 0 || indirect.out === 0)
      findings.push(
        error(
          'hidden-exposure',
          `exposure.caps.${category}`,
          `A cap of 0 hides dealings with ${category} addresses.`,
        ),
      )
    // Of a category whose owners are hidden too, that says it.
    const isHidden = certainPoints(document, category) < levels.orange
    if (category !== 'sanctions' && !isHidden && weights[category] * direct.in < levels.orange)
      findings.push(
        warning(
          'hidden-exposure',
          `exposure.caps.${category}.direct.in`,
          `All of the value could come directly from ${category} addresses, and the score would stay below orange.`,
        ),
      )
    if (category === 'scam' && weights.scam * direct.out >= levels.orange)
      findings.push(
        warning('victims-scored', 'exposure.caps.scam.direct.out', 'Who pays a scam is mostly its victim.'),
      )
    for (const direction of ['in', 'out'] as const) {
      if (indirect[direction] > direct[direction])
        findings.push(
          warning(
            'indirect-above-direct',
            `exposure.caps.${category}.indirect.${direction}`,
            'A distant fact would weigh more than a near one.',
          ),
        )
    }
    return findings
  })
}

const pointsText = (points: number): string => String(Math.round(points * 100) / 100)
const percentText = (share: number): string => `${Math.round(share * 10_000) / 100} %`
const days = (hours: number): string => `${Math.round(hours / 24)} days`
