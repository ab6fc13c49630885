/** Failpoints of a run under a supervisor: which were armed, and which have fired. */
import type { FailpointName } from '@cupel/failpoints'
import { readFileSync } from 'node:fs'

export const sides = ['before', 'after'] as const

/** Every point on both sides, at its first visit. */
export function armedAtFirstVisit(names: readonly FailpointName[]): string {
  return names.flatMap((name) => sides.map((side) => `${side}:${name}:1`)).join(',')
}

/** What the file CUPEL_FAILPOINT_FIRED holds, sorted. */
export function firedPoints(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').sort()
  } catch {
    return []
  }
}

/** Points that only a fault leads to; packages/system-tests/test/faults.e2e.test.ts brings each about. */
export const pointsByFault = [
  'access.reservation',
  'scorer.request-deferred',
  'scorer.screening-failed',
  'scorer.dead-letter',
  'api.audit-outbox',
  'access.auth-failures',
] as const satisfies readonly FailpointName[]
