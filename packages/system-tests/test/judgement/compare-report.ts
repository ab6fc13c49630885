/** Compares a report with the oracle. */
import type { Evidence, Report } from '@cupel/contracts'
import type { ExpectedEvidence, ExpectedJudgement } from '../../src/judgement-oracle.js'

export interface Mismatch {
  readonly address: string
  readonly chain: string
  /** The differences, as sentences. */
  readonly wrong: readonly string[]
}

/** The differences between a report and the oracle; empty if there are none. */
export function mismatchesOf({ risk }: Report, expected: ExpectedJudgement): readonly string[] {
  const wrong: string[] = []
  if (risk.level !== expected.level) wrong.push(`level ${risk.level}, not ${expected.level}`)
  if (risk.score !== expected.score) wrong.push(`score ${risk.score}, not ${expected.score}`)
  for (const [category, points] of Object.entries(expected.categories)) {
    const given = (risk.categories as Readonly<Record<string, number>>)[category]
    if (given !== points) wrong.push(`${category} ${given}, not ${points}`)
  }
  const missing = [...expected.evidence]
  for (const item of risk.evidence) {
    const index = missing.findIndex((one) => isSame(item, one))
    if (index === -1) wrong.push(`evidence nobody expected: ${said(item)}`)
    else missing.splice(index, 1)
  }
  for (const item of missing) wrong.push(`no evidence: ${said(item)}`)
  if (risk.evidence_omitted !== 0) wrong.push(`${risk.evidence_omitted} items of evidence omitted`)
  return wrong
}

function isSame(given: Evidence, expected: ExpectedEvidence): boolean {
  return (
    given.relation === 'ownership' &&
    given.category === expected.category &&
    given.origin === expected.origin &&
    given.used === expected.used &&
    given.reason === expected.reason &&
    given.contribution === expected.contribution &&
    given.decisive === expected.decisive &&
    given.status === (expected.reason === 'authority_ended' ? 'ended' : 'live') &&
    expected.entities.includes(given.entity ?? '')
  )
}

function said(
  item: Pick<ExpectedEvidence, 'category' | 'origin' | 'contribution' | 'used' | 'reason'>,
): string {
  const { category, origin, contribution, used, reason } = item
  return `${category} by ${origin}, ${contribution} points${used ? '' : ` (${reason})`}`
}
