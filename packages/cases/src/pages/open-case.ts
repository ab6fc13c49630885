/** Opens the case of a report that has none, with a note. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiProblem, type PageCall } from '@cupel/console'

/** False if the report has a case; null if the key may not call any more in time. */
export async function openCase(
  { api }: Pick<PageCall, 'api'>,
  reportId: string,
  { text, until }: { readonly text: string; readonly until: number },
): Promise<boolean | null> {
  for (;;) {
    try {
      // Version 0: nobody has worked on the report.
      await api.send('POST', `/v1/reports/${reportId}/notes`, { text, version: 0 })
      return true
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      if (error.code === 'version_mismatch') return false
      const waitMs = (error.retryAfterSeconds ?? 1) * 1_000
      if (error.status !== 429) throw error
      if (Date.now() + waitMs > until) return null
      await sleep(waitMs)
    }
  }
}
