/** GET /v1/reports/{report_id}/case/proof: proves, without this installation, who decided what about a report, and when. */
import { readCase } from '../index.js'
import type { z } from 'zod'
import { keyedEndpoint, type Endpoint, refuse } from '@cupel/gate/http'
import { refusalOf, reportPath, proofAnswer, PROOF_ANSWERS, type ReadProof } from '@cupel/reports/routes'
import { CASES_TAG, type CaseParts } from './case-description.js'

export function getReportCaseProof({ database, reports }: CaseParts, readProof: ReadProof): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>>({
    operationId: 'getReportCaseProof',
    method: 'GET',
    path: '/v1/reports/{report_id}/case/proof',
    tag: CASES_TAG,
    summary: 'Get the proof of a case',
    description:
      'The proof of the report, and of every note and decision about it, in one file. `cupel verify` and the SDKs check it offline, with the bytes of the report and the public keys, as they check the proof of a report: they say who decided what, and when, and that no entry before the last one is left out. The file holds the texts of the entries; one that was erased is not in it, and the proof stays good. A report without entries is 404 `not_found`. An entry has its proof within 10 seconds; before that the answer is 503 `unavailable` with `Retry-After`.',
    access: 'read-only',
    pathSchema: reportPath,
    answers: PROOF_ANSWERS,
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller: { accountId, livemode }, caller }, { path: { report_id: reportId } }) {
      const report = await reports.find(caller, reportId)
      if (report.kind !== 'report') return refusalOf(report.kind, reportId)
      const stored = await readCase(database, { accountId, livemode, reportId })
      if (stored === null)
        return refuse('not_found', 'Nobody has worked on this report: there is nothing to prove.')
      const entries = stored.history.map((entry) => ({ ...entry, reportId }))
      return proofAnswer(await readProof({ reportId, document: report.document, entries }))
    },
  })
}
