/** POST /v1/bulk/{job_id}/cases: opens a case for each report of a level that has none. */
import { jobPath, jobRefusal, type BulkParts } from '@cupel/bulk/routes'
import { riskLevels } from '@cupel/contracts'
import { z } from 'zod'
import { RecordRetiredError, referenceOf } from '@cupel/reports/routes'
import { jsonAnswer, keyedEndpoint, type Endpoint, type KeyedCall, type LargeRead } from '@cupel/gate/http'
import { addNote } from '../index.js'
import { caseAuthorOf, caseText, factsOf, type CaseParts } from './case-description.js'

/** A caller waits this long; the same call again opens the rest. */
const MAX_WORK_MS = 8_000

const casesBody = z
  .strictObject({
    level: z.enum(riskLevels).describe('Reports of this level.'),
    text: caseText.describe('The note that opens each case.'),
  })
  .meta({ id: 'JobCasesRequest' })

const openedCases = z
  .object({
    opened: z.int().describe('Cases that this call opened.'),
    existing: z.int().describe('Reports of the level that had a case before; it stays as it is.'),
    left_out: z
      .int()
      .describe('Reports of the level that this call did not come to in time: the same call opens the rest.'),
    not_done: z.int().describe('Addresses that have no report yet: the job runs.'),
    without_report: z.int().describe('Addresses without a report because they failed or were cancelled.'),
  })
  .meta({ id: 'OpenedCases' })

export function openJobCases(bulk: Pick<BulkParts, 'findItems' | 'largeReads'>, cases: CaseParts): Endpoint {
  return keyedEndpoint<z.infer<typeof jobPath>, undefined, z.infer<typeof casesBody>>({
    operationId: 'openJobCases',
    method: 'POST',
    path: '/v1/bulk/{job_id}/cases',
    tag: 'Bulk jobs',
    summary: 'Open cases for the results of a job',
    description:
      'Opens a case with the note for each report of the level on which nobody has worked. A repeat opens nothing a second time. The answer counts what was left out, and why.',
    access: 'read-write',
    pathSchema: jobPath,
    bodySchema: casesBody,
    bodyExample: { level: 'red', text: 'Red in the monthly check.' },
    answers: [
      {
        status: 200,
        description: 'The cases that were opened, and those that were not.',
        contentType: 'application/json',
        schema: openedCases,
        example: { opened: 12, existing: 1, left_out: 0, not_done: 0, without_report: 3 },
      },
    ],
    problems: ['not_found', 'report_retired', 'unavailable'],
    // A thousand cases are work like a large answer: one after the other, with rests, and a few calls at once.
    handle: async (call, { path, body: { level, text } }) =>
      await bulk.largeReads.during(call.caller, async (read) => {
        const found = await bulk.findItems(call.caller, path.job_id, read.slice)
        if (found.kind !== 'job') return jobRefusal(found)
        const { items } = found.job
        const reportIds = new Set(
          items.flatMap((item) =>
            item.status === 'completed' && item.level === level ? [item.reportId] : [],
          ),
        )
        const count = (...statuses: readonly string[]): number =>
          items.filter(({ status }) => statuses.includes(status)).length
        return jsonAnswer(
          200,
          JSON.stringify({
            ...(await openCases(cases, call, { reportIds: [...reportIds], text, slice: read.slice })),
            ...{ not_done: count('pending'), without_report: count('failed', 'cancelled') },
          }),
        )
      }),
  })
}

interface CasesOrder {
  readonly reportIds: readonly string[]
  readonly text: string
  readonly slice: LargeRead['slice']
}

/** Rejects for a report in an archive that is not read here once it came to all the others. */
async function openCases(parts: CaseParts, call: KeyedCall, { reportIds, text, slice }: CasesOrder) {
  // The record of the call has the call; each case only names its author.
  const author = { ...(await caseAuthorOf(parts, call, 200)), call: null }
  const until = Date.now() + MAX_WORK_MS
  let [opened, existing] = [0, 0]
  const openOne = async (document: string): Promise<void> => {
    const sealed = await call.seal.sealBeside(referenceOf(document), text)
    const order = { ...author, report: factsOf(document), text: sealed, expectedVersion: 0 }
    const { ok } = await addNote(parts.database, order)
    if (ok) opened += 1
    else existing += 1
  }
  let looked = 0
  let retired: RecordRetiredError | null = null
  for (const reportId of reportIds) {
    if (Date.now() > until) break
    looked += 1
    try {
      // It may wait for the read model, and meanwhile the turn is that of others.
      const found = await parts.reports.find(call.caller, reportId)
      if (found.kind === 'report') await slice(() => openOne(found.document))
    } catch (error) {
      if (!(error instanceof RecordRetiredError)) throw error
      retired ??= error
    }
  }
  if (retired !== null && looked === reportIds.length) throw retired
  return { opened, existing, left_out: reportIds.length - opened - existing }
}
