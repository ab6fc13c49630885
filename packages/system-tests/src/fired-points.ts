/** Arms failpoints of a supervised run and reads which of them have fired. */
import type { FailpointName } from '@cupel/kit/failpoints'
import { readFileSync } from 'node:fs'

export const sides = ['before', 'after'] as const

/** Value of CUPEL_FAILPOINT that arms every point on both sides at its first visit. */
export function armedAtFirstVisit(names: readonly FailpointName[]): string {
  return names.flatMap((name) => sides.map((side) => `${side}:${name}:1`)).join(',')
}

/** Points that the file CUPEL_FAILPOINT_FIRED lists, sorted. */
export function firedPoints(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').sort()
  } catch {
    return []
  }
}

/** Points that a process visits only after a fault; packages/system-tests/test/faults.long.e2e.test.ts causes each fault. */
export const pointsByFault = [
  'access.reservation',
  'scorer.request-deferred',
  'scorer.screening-failed',
  'scorer.dead-letter',
  'api.audit-outbox',
  'access.auth-failures',
] as const satisfies readonly FailpointName[]
