/** POST /reports/{report_id}/notes and …/disposition: the actions of the forms of a case. */
import type { ReportCase } from '@cupel/contracts'
import { ApiProblem } from '../../api/api-problem.js'
import { fieldOf, page, redirect, type Page, type PageAnswer, type PageCall } from '../../server/page.js'
import { CasePanel } from './case-panel.js'

export const addNote: Page = {
  method: 'POST',
  path: '/reports/{report_id}/notes',
  access: 'session',
  handle: (call) => changed(call, 'notes', { text: typed(call, 'text') }),
}

export const setDisposition: Page = {
  method: 'POST',
  path: '/reports/{report_id}/disposition',
  access: 'session',
  handle: (call) =>
    changed(call, 'disposition', {
      disposition: fieldOf(call.form, 'disposition'),
      reason: typed(call, 'reason'),
      version: Number(fieldOf(call.form, 'version')),
    }),
}

/** Refusals that the person can answer: the text is kept, and the case is shown as it is now. */
const ANSWERABLE = [400, 409, 412]

async function changed(call: PageCall, part: string, body: object): Promise<PageAnswer> {
  const id = encodeURIComponent(call.path['report_id'] ?? '')
  try {
    await call.api.send('POST', `/v1/reports/${id}/${part}`, body)
    return redirect(`/reports/${id}#case`)
  } catch (error) {
    if (!(error instanceof ApiProblem) || !ANSWERABLE.includes(error.status)) throw error
    const reportCase = await call.api.get<ReportCase>(`/v1/reports/${id}/case`)
    const draft = {
      fault: faultOf(error),
      note: fieldOf(call.form, 'text'),
      reason: fieldOf(call.form, 'reason'),
      disposition: fieldOf(call.form, 'disposition'),
    }
    const body = (
      <>
        <h1>Nothing was changed</h1>
        <p>
          <a href={`/reports/${id}`}>Back to the report</a>
        </p>
        <CasePanel {...{ call, reportCase, draft }} />
      </>
    )
    return page('Nothing was changed', body, { status: error.status, section: '/cases' })
  }
}

function faultOf({ status, detail, errors }: ApiProblem): string {
  if (status === 412) return 'Somebody else has changed the case in the meantime. Read it, and decide again.'
  return errors[0]?.detail ?? detail
}

/** Browsers send line breaks as CR LF. */
const typed = (call: PageCall, name: string): string => fieldOf(call.form, name).replaceAll('\r\n', '\n')
