/** GET /v1/transfers/{transfer_id}: a screened transfer by its id, from the moment its POST was answered, on any instance. */
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, refuse } from '@cupel/gate/http'
import { type ReportReader, refusalOf } from '@cupel/reports/routes'
import { transferComponent, transferExample, transferText } from '@cupel/reports/document'

const transferPath = z.object({
  transfer_id: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .describe('The id of the transfer.'),
})

export function getTransfer(reports: ReportReader): Endpoint {
  return keyedEndpoint<z.infer<typeof transferPath>>({
    operationId: 'getTransfer',
    method: 'GET',
    path: '/v1/transfers/{transfer_id}',
    tag: 'Transfers',
    summary: 'Get a screened transfer',
    description:
      'Returns what was recommended for a transfer when it was screened. A transfer of another account, or of the other environment, is answered like one that does not exist, and so is a report of an address that was screened by itself.',
    access: 'read-only',
    pathSchema: transferPath,
    answers: [
      {
        status: 200,
        description: 'The transfer.',
        contentType: 'application/json',
        schema: transferComponent,
        example: transferExample,
      },
    ],
    problems: ['not_found', 'report_retired', 'screening_failed', 'screening_pending', 'unavailable'],
    async handle({ caller }, { path }) {
      const { transfer_id: transferId } = path
      const found = await reports.find(caller, transferId)
      if (found.kind !== 'report') return refusalOf(found.kind, transferId)
      const shown = transferText(found.document)
      return shown === null ? refuse('not_found', 'There is no such transfer.') : jsonAnswer(200, shown)
    },
  })
}
