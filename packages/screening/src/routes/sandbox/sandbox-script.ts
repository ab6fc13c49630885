/** How the sandbox answers a screen of a magic address. For a live key no address is magic. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '@cupel/gate/access'
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { MAGIC_DELAY_MS, MAGIC_SLOW_ADDRESS, magicProblems } from '@cupel/domain'
import { refuse, type Refusal } from '@cupel/gate/http'
import type { ScreenResult } from '../calls/screens.js'

export type SandboxScript =
  /** Screened as usual, after the delay if there is one. */
  | { readonly kind: 'screen'; readonly delay?: Promise<void> | undefined }
  /** Screened as usual, and answered as if it had taken too long. */
  | { readonly kind: 'late'; readonly delay?: undefined }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }

const AS_USUAL: SandboxScript = { kind: 'screen' }
/** In the sandbox a retry after this time always works. */
const RETRY_SECONDS = 1

export function sandboxScript(caller: Pick<Caller, 'livemode'>, canonicalAddress: string): SandboxScript {
  if (caller.livemode) return AS_USUAL
  if (canonicalAddress === MAGIC_SLOW_ADDRESS) return { kind: 'screen', delay: sleep(MAGIC_DELAY_MS) }
  const code = magicProblems.get(canonicalAddress)
  if (code === undefined) return AS_USUAL
  if (code === 'screening_timeout') return { kind: 'late' }
  const { title, retry } = problemCodes[code]
  const detail = `${title}: the sandbox always answers this address with it.`
  const pointer = pointers[code]
  return {
    kind: 'refusal',
    refusal: refuse(code, detail, {
      ...(pointer === undefined ? {} : { errors: [{ pointer, detail }] }),
      ...(retry === 'later' && code !== 'internal_error' && code !== 'screening_failed'
        ? { retryAfterSeconds: RETRY_SECONDS }
        : {}),
    }),
  }
}

/** Where the live environment finds the fault of such a code. */
const pointers: Readonly<Partial<Record<ProblemCode, string>>> = {
  invalid_request: '/address',
  invalid_address: '/address',
  unsupported_chain: '/chain',
  chain_mismatch: '/chain',
}

/** The same result as a timeout: the report exists, and the caller gets 503 `screening_timeout`. */
export function lateOf(result: ScreenResult): ScreenResult {
  if ('refused' in result || result.outcome.kind !== 'report') return result
  return { ...result, outcome: { kind: 'late' }, isRecorded: false }
}
