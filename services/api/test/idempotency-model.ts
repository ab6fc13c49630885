/**
 * A model of the rules for Idempotency-Keys: it takes a row, a call and the time, and returns an answer and a row.
 * It knows nothing of SQL, batches or promises.
 */

/** How the attempt ends, if the call starts the work at all. */
export const fates = [
  'success',
  'fault',
  'thrown',
  'refused',
  'failed',
  'late-and-done',
  'late-and-lost',
  'killed-before',
  'killed-after',
] as const
export type Fate = (typeof fates)[number]

export interface ModelCall {
  readonly body: string
  readonly fate: Fate
  /** Whether the view of finished work is behind, so that unfinished work has no known state. */
  readonly isBehind: boolean
  readonly candidateId: string
  /** Id of the work if it has to start again. */
  readonly restartId: string
}

export interface ModelRow {
  readonly body: string
  readonly workId: string
  readonly heldBy: string
  readonly leaseUntilMs: number
  readonly createdAtMs: number
}

export type Outcome =
  | { readonly kind: 'answered'; readonly workId: string; readonly replayed: boolean }
  | { readonly kind: 'refused'; readonly code: string }
  /** The process died during the call. */
  | { readonly kind: 'killed' }

export interface ModelResult {
  readonly outcome: Outcome
  readonly row: ModelRow | null
  /** New state of a piece of work, if this call changed it. */
  readonly ended: readonly [workId: string, state: WorkState] | null
}

export type WorkState = 'done' | 'failed'

export const KEEP_MS = 24 * 3_600_000

export function expectedOf(
  call: ModelCall,
  before: ModelRow | null,
  works: ReadonlyMap<string, WorkState>,
  { nowMs, leaseMs }: { nowMs: number; leaseMs: number },
): ModelResult {
  const leaseUntilMs = nowMs + leaseMs
  const { body, candidateId } = call
  if (before === null || before.createdAtMs <= nowMs - KEEP_MS) {
    const row = { body, workId: candidateId, heldBy: candidateId, leaseUntilMs, createdAtMs: nowMs }
    return attempt(call, row, nowMs)
  }
  if (before.body !== body) return refused('idempotency_mismatch', before)
  const isGivenUp = before.leaseUntilMs <= nowMs
  const row = isGivenUp ? { ...before, heldBy: candidateId, leaseUntilMs } : before
  const state = works.get(row.workId)
  if (state === 'done')
    return { outcome: { kind: 'answered', workId: row.workId, replayed: true }, row, ended: null }
  if (call.isBehind) return refused('unavailable', row)
  if (state === 'failed') {
    const restarted = { ...row, workId: call.restartId, heldBy: call.restartId, leaseUntilMs }
    return attempt(call, restarted, nowMs)
  }
  return isGivenUp ? attempt(call, row, nowMs) : refused('idempotency_in_progress', row)
}

function attempt(call: ModelCall, row: ModelRow, nowMs: number): ModelResult {
  const released = { ...row, leaseUntilMs: nowMs }
  const { workId } = row
  switch (call.fate) {
    case 'success':
      return { outcome: { kind: 'answered', workId, replayed: false }, row, ended: [workId, 'done'] }
    case 'fault':
      return refused('unavailable', released)
    case 'thrown':
      return refused('internal_error', released)
    case 'refused':
      return refused('invalid_address', null)
    case 'failed':
      return { ...refused('screening_failed', released), ended: [workId, 'failed'] }
    case 'late-and-done':
      return { ...refused('screening_timeout', row), ended: [workId, 'done'] }
    case 'late-and-lost':
      return refused('screening_timeout', row)
    case 'killed-before':
      return { outcome: { kind: 'killed' }, row, ended: null }
    case 'killed-after':
      return { outcome: { kind: 'killed' }, row, ended: [workId, 'done'] }
  }
}

function refused(code: string, row: ModelRow | null): ModelResult {
  return { outcome: { kind: 'refused', code }, row, ended: null }
}
