/** What a magic address makes of a screen in the sandbox. To a live key no address is magic. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '@cupel/access'
import { problemCodes } from '@cupel/contracts'
import { MAGIC_DELAY_MS, MAGIC_SLOW_ADDRESS, magicProblems } from '@cupel/domain'
import { refuse, type Refusal } from '../http/problem.js'
import type { ScreenResult } from '../screening/screens.js'

export type SandboxScript =
  /** Screened as usual, after the delay where there is one. */
  | { readonly kind: 'screen'; readonly delay?: Promise<void> | undefined }
  /** Screened as usual, and answered as if it had taken too long. */
  | { readonly kind: 'late'; readonly delay?: undefined }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }

const AS_USUAL: SandboxScript = { kind: 'screen' }
/** Waiting so long always helps in the sandbox. */
const RETRY_SECONDS = 1

export function sandboxScript(caller: Pick<Caller, 'livemode'>, canonicalAddress: string): SandboxScript {
  if (caller.livemode) return AS_USUAL
  if (canonicalAddress === MAGIC_SLOW_ADDRESS) return { kind: 'screen', delay: sleep(MAGIC_DELAY_MS) }
  const code = magicProblems.get(canonicalAddress)
  if (code === undefined) return AS_USUAL
  if (code === 'screening_timeout') return { kind: 'late' }
  const { title, retry } = problemCodes[code]
  return {
    kind: 'refusal',
    refusal: refuse(
      code,
      `${title}: this address of the sandbox is always answered so.`,
      retry === 'later' && code !== 'internal_error' && code !== 'screening_failed'
        ? { retryAfterSeconds: RETRY_SECONDS }
        : {},
    ),
  }
}

/** The report is there or will be; only its caller is told that it is late. */
export function lateOf(result: ScreenResult): ScreenResult {
  if ('refused' in result || result.outcome.kind !== 'report') return result
  return { reportId: result.reportId, outcome: { kind: 'late' }, isRecorded: false }
}
