/** POST /reports/{report_id}/notes, …/disposition, …/assignment and …/files: the actions of the forms of a case. */
import type { ReportCase } from '@cupel/contracts'
import {
  ApiProblem,
  fieldOf,
  page,
  redirect,
  type Page,
  type PageAnswer,
  type PageCall,
} from '@cupel/console'
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

export const assignCase: Page = {
  method: 'POST',
  path: '/reports/{report_id}/assignment',
  access: 'session',
  handle(call) {
    const [dueOn, reason] = [fieldOf(call.form, 'due_on'), typed(call, 'assignment_reason')]
    return changed(call, 'case/assignment', {
      assignee: chosenAssignee(fieldOf(call.form, 'assignee')),
      due_on: dueOn === '' ? null : dueOn,
      ...(reason === '' ? {} : { reason }),
      version: Number(fieldOf(call.form, 'version')),
    })
  },
}

export const attachFile: Page = {
  method: 'POST',
  path: '/reports/{report_id}/files',
  access: 'session',
  takesFile: true,
  async handle(call) {
    const file = call.form.get('file')
    const [name, content] =
      file instanceof File ? [file.name, Buffer.from(await file.arrayBuffer()).toString('base64')] : ['', '']
    return await changed(call, 'case/files', { name, content })
  },
}

/** The value of an option: a key, and behind a blank the person in it. */
function chosenAssignee(value: string): { readonly key_id: string; readonly person?: string } | null {
  const [, key_id = '', person] = /^(\S+)(?: (.+))?$/.exec(value) ?? []
  if (key_id === '') return null
  return person === undefined ? { key_id } : { key_id, person }
}

/** Refusals that the person can answer: the text is kept, and the case is shown as it is now. */
const ANSWERABLE = [400, 409, 412, 413]

async function changed(call: PageCall, part: string, body: object): Promise<PageAnswer> {
  const id = encodeURIComponent(call.path['report_id'] ?? '')
  try {
    await call.api.send('POST', `/v1/reports/${id}/${part}`, body)
    return redirect(fieldOf(call.form, 'back') === 'case' ? `/cases/${id}` : `/reports/${id}#case`)
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
          <a href={`/reports/${id}`}>Back to the report</a> <a href={`/cases/${id}`}>Back to the case</a>
        </p>
        <CasePanel {...{ call, reportCase, draft }} isWhole={fieldOf(call.form, 'back') === 'case'} />
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
