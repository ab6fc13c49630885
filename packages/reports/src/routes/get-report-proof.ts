/** GET /v1/reports/{report_id}/proof: proves, without this installation, that a report is in its transparency log. */
import type { RecordedEntry } from '@cupel/contracts'
import type { FoundProof } from '@cupel/evidence/transparency'
import { z } from 'zod'
import {
  keyedEndpoint,
  type Answer,
  type DescribedAnswer,
  type Endpoint,
  refuse,
  type Refusal,
} from '@cupel/gate/http'
import type { ReportReader } from './report-reader.js'
import { refusalOf, reportPath } from './get-report.js'

/** The proof of a report that the caller was found to own. */
export type ReadProof = (report: {
  readonly reportId: string
  readonly document: string
  /** The entries of its case, if they are to be proven too. */
  readonly entries?: readonly RecordedEntry[]
}) => Promise<FoundProof>

/** A report has its leaf a few seconds after it was made. */
const NO_LEAF_RETRY_SECONDS = 5

export function getReportProof(reports: ReportReader, readProof: ReadProof): Endpoint {
  return keyedEndpoint<z.infer<typeof reportPath>>({
    operationId: 'getReportProof',
    method: 'GET',
    path: '/v1/reports/{report_id}/proof',
    tag: 'Reports',
    summary: 'Get the proof of a report',
    description:
      'A proof of C2SP (tlog-proof): with it, the bytes of the report as `GET /v1/reports/{report_id}` answers them, and the public keys of the installation, anybody can check offline that the report is in the signed transparency log (`cupel verify`). A report has its proof within 10 seconds; before that, and where the installation has no signing keys, the answer is 503 `unavailable` with `Retry-After`. It holds the last checkpoint that enough witnesses cosigned, where the installation has witnesses and the report is in that checkpoint. A later answer may hold a later checkpoint; an earlier proof stays good.',
    access: 'read-only',
    pathSchema: reportPath,
    answers: PROOF_ANSWERS,
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller }, { path: { report_id: reportId } }) {
      const report = await reports.find(caller, reportId)
      if (report.kind !== 'report') return refusalOf(report.kind, reportId)
      return proofAnswer(await readProof({ reportId, document: report.document }))
    },
  })
}

export function proofAnswer(found: FoundProof): Answer | Refusal {
  if (found.kind === 'proof')
    return { status: 200, contentType: 'text/plain; charset=utf-8', body: found.text }
  return refuse('unavailable', 'This is not in the transparency log yet.', {
    retryAfterSeconds: NO_LEAF_RETRY_SECONDS,
  })
}

const EXAMPLE = `c2sp.org/tlog-proof@v1
extra c2FsdCBhbmQgbGVhZg==
index 0
rmwHCmCsn7vwUynJO0rSTOqhVJoFLKNUgdvF9mfFRsw=

cupel/0b7a2c41d9e3/transparency/6f1d
2
3Xt6Qo4mYyM7Iq2lY0nF0d1yYyTq8w1vGk7VtQm9q4E=

— cupel/0b7a2c41d9e3 xk2PZ3p0c2lnbmF0dXJlIG9mIHRoZSBpbnN0YWxsYXRpb24=
`

export const PROOF_ANSWERS: readonly DescribedAnswer[] = [
  {
    status: 200,
    description: 'The proof.',
    contentType: 'text/plain; charset=utf-8',
    schema: z.string().describe('A proof of C2SP, to be kept byte for byte.'),
    example: EXAMPLE,
  },
]
