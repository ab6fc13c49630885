/** Asks a service process whether it is ready. */
import type { Check } from '@cupel/kit/service'

const PROBE_TIMEOUT_MS = 2_000

export interface Readiness {
  readonly ready: boolean
  /** No decision and no answer depends on what fails, if anything does. */
  readonly isWorking: boolean
  /** The failing checks, or why the request failed. */
  readonly detail: string
}

/** Requests /readyz of a service. Never rejects. */
export async function probeReadiness(healthUrl: string): Promise<Readiness> {
  try {
    const response = await fetch(`${healthUrl}/readyz`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    const body = (await response.json()) as { checks?: Check[] }
    const failing = (body.checks ?? []).filter((check) => !check.ok)
    return {
      ready: response.ok && failing.length === 0,
      isWorking: response.ok || (failing.length > 0 && failing.every(({ aside }) => aside === true)),
      detail: failing
        .map(({ name, detail }) => (detail === undefined ? name : `${name}: ${detail}`))
        .join(', '),
    }
  } catch {
    // The service does not listen yet.
    return { ready: false, isWorking: false, detail: 'no answer' }
  }
}
