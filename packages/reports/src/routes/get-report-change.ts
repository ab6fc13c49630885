/** GET /v1/reports/{report_id}/changes/{earlier_id}: why a report differs from an earlier one of its address, in points by cause. */
import type { ChangeExplanation, DecidedLevel } from '@cupel/domain'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint } from '@cupel/gate/http'
import type { ExplainReports } from './report-changes.js'
import type { ReportReader } from './report-reader.js'
import { refusalOf, reportPath } from './get-report.js'

const standing = z
  .object({ level: z.string(), score: z.number(), level_reasons: z.array(z.string()) })
  .meta({ id: 'DecidedLevel' })

const changeComponent = z
  .object({
    since: z.string().describe('The id of the other report.'),
    missing: z
      .string()
      .nullable()
      .describe(
        'Why the explanation is missing: `unreadable` if the record of a report has left the log, `refused` if the two cannot be compared; null if there is one.',
      ),
    detail: z.string().nullable().describe('The same as a sentence, if there is more to say.'),
    before: standing.nullable(),
    after: standing.nullable(),
    added: z.number().nullable().describe('The difference of the scores.'),
    parts: z
      .array(
        z
          .object({
            part: z.string().describe('labels, funds, policy, scorer, time or not_examined.'),
            differs: z.boolean().describe('True if the inputs of this part differ at all.'),
            added: z.number().describe('Points that the part added, after the parts before it.'),
            alone: z.number().describe('Points that the part would have added by itself.'),
          })
          .meta({ id: 'PartOfChange' }),
      )
      .describe('In the order in which they are exchanged; their points add up to the difference exactly.'),
    funds_include_labels: z
      .boolean()
      .nullable()
      .describe('The exposure counts as funds, although labels of counterparties may have changed it.'),
  })
  .meta({ id: 'ReportDifference' })
type ChangeDocument = z.infer<typeof changeComponent>

const changePath = reportPath.extend({
  earlier_id: reportPath.shape.report_id.describe('The id of an earlier report of the address.'),
})

const nothing = { before: null, after: null, added: null, parts: [], funds_include_labels: null } as const

const example: ChangeDocument = {
  ...{ since: '622f9400217f0bff', missing: null, detail: null },
  before: { level: 'grey', score: 0, level_reasons: ['no_chain_data'] },
  after: { level: 'red', score: 81, level_reasons: [] },
  added: 81,
  parts: [
    { part: 'labels', differs: true, added: 84, alone: 84 },
    { part: 'funds', differs: true, added: -3, alone: 0 },
    ...['policy', 'scorer', 'time', 'not_examined'].map((part) => ({
      ...{ part, differs: part === 'time', added: 0, alone: 0 },
    })),
  ],
  funds_include_labels: false,
}

export function getReportChange(reports: ReportReader, explain: ExplainReports): Endpoint {
  return keyedEndpoint<z.infer<typeof changePath>>({
    operationId: 'getReportChange',
    method: 'GET',
    path: '/v1/reports/{report_id}/changes/{earlier_id}',
    tag: 'Reports',
    summary: 'See why a report differs from an earlier one',
    description:
      'Both reports are read from the log and decided again, with the parts of one exchanged for those of the other, one at a time. A record that was changed is not explained.',
    access: 'read-only',
    pathSchema: changePath,
    answers: [
      {
        status: 200,
        description: 'The difference by cause, or why it is missing.',
        contentType: 'application/json',
        schema: changeComponent,
        example,
      },
    ],
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller }, { path }) {
      const { report_id: reportId, earlier_id: since } = path
      for (const id of [reportId, since]) {
        const found = await reports.find(caller, id)
        if (found.kind !== 'report') return refusalOf(found.kind, id)
      }
      const told = await explain(caller, since, reportId)
      const document: ChangeDocument =
        told.kind === 'explained'
          ? { since, missing: null, detail: null, ...documentOf(told.change) }
          : {
              ...{ since, missing: told.kind, ...nothing, parts: [] },
              detail: told.kind === 'refused' ? told.because : null,
            }
      return jsonAnswer(200, JSON.stringify(document))
    },
  })
}

const pointsOf = (hundredths: number): number => hundredths / 100

const standingOf = ({ level, scoreHundredths, levelReasons }: DecidedLevel) => ({
  ...{ level, score: pointsOf(scoreHundredths), level_reasons: [...levelReasons] },
})

const documentOf = ({ from, to, parts, fundsIncludeLabels }: ChangeExplanation) => ({
  ...{ before: standingOf(from), after: standingOf(to) },
  added: pointsOf(to.scoreHundredths - from.scoreHundredths),
  parts: parts.map(({ part, differs, addedHundredths, alone }) => ({
    ...{ part: part as string, differs, added: pointsOf(addedHundredths) },
    alone: pointsOf(alone.scoreHundredths - from.scoreHundredths),
  })),
  funds_include_labels: fundsIncludeLabels,
})
