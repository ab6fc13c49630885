/** Judges whether the required lists are fresh. The age of a list never changes a score; it only prevents green. */
import type { LabelSetFacts } from './label-facts.js'
import type { CompiledPolicy } from './policy.js'

const HOUR_MS = 3_600_000

/** A set with what its age means at one time under one policy. */
export type JudgedSet = LabelSetFacts & { readonly status: 'fresh' | 'stale' | 'missing' | 'unrequired' }

export interface Freshness {
  readonly labelSets: readonly JudgedSet[]
  /** No required list is too old or absent. */
  readonly isFresh: boolean
  /** The only fault is that expected lists never arrived. */
  readonly isOnlyMissing: boolean
}

/** An expected list that never arrived: it has no publication and no labels. */
export const isMissing = ({ publishedAt }: Pick<LabelSetFacts, 'publishedAt'>): boolean => publishedAt === ''

interface RememberedFreshness extends Freshness {
  readonly generatedAt: string
  readonly policy: CompiledPolicy
}

/** A batch is decided from one array of sets, at one time, under one policy, so the last result is kept. */
const remembered = new WeakMap<readonly LabelSetFacts[], RememberedFreshness>()

/** Judges every published set by its age at `generatedAt`; absent lists count where the policy always requires them. */
export function judgeFreshness(
  labelSets: readonly LabelSetFacts[],
  generatedAt: string,
  policy: CompiledPolicy,
): Freshness {
  const last = remembered.get(labelSets)
  if (last !== undefined && last.generatedAt === generatedAt && last.policy === policy) return last
  const freshness = judgeAges(labelSets, generatedAt, policy)
  remembered.set(labelSets, { ...freshness, generatedAt, policy })
  return freshness
}

function judgeAges(
  labelSets: readonly LabelSetFacts[],
  generatedAt: string,
  policy: CompiledPolicy,
): Freshness {
  const { required, max_age_hours, max_age_hours_by_origin } = policy.document.freshness
  const statusOf = (set: LabelSetFacts): JudgedSet['status'] => {
    if (isMissing(set)) return 'missing'
    const isRequired = set.refreshConfigured || required.some(({ origin }) => origin === set.authorityOrigin)
    if (!isRequired) return 'unrequired'
    const maxAgeMs = (max_age_hours_by_origin[set.authorityOrigin] ?? max_age_hours) * HOUR_MS
    const ageMs = Date.parse(generatedAt) - Date.parse(set.publishedAt)
    return ageMs <= maxAgeMs ? 'fresh' : 'stale'
  }
  const judged = labelSets.map((set): JudgedSet => ({ ...set, status: statusOf(set) }))
  const isAbsent = required.some(
    ({ origin, when }) => when === 'always' && !judged.some((set) => set.authorityOrigin === origin),
  )
  const isStale = isAbsent || judged.some(({ status }) => status === 'stale')
  const hasMissing = judged.some(({ status }) => status === 'missing')
  return { labelSets: judged, isFresh: !isStale && !hasMissing, isOnlyMissing: !isStale && hasMissing }
}
