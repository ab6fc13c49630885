/** POST /bulk/preview: shows the read addresses before anything is screened. */
import { randomUUID } from 'node:crypto'
import { fieldOf, page, type Page, type PageCall, type ShownPage, mayChange } from '@cupel/console'
import { MAX_NAME_LENGTH, Preview } from './preview.js'
import { bulkFormPage } from './new-job.js'
import { fileNameOf, readBulkForm, type ReadBulkForm } from './read-bulk-form.js'

export const previewJob: Page = {
  method: 'POST',
  path: '/bulk/preview',
  access: 'session',
  takesFile: true,
  async handle(call) {
    const result = await readBulkForm(call)
    if (!result.ok) return bulkFormPage(call, { ...result, status: 400 })
    const name = (fieldOf(call.form, 'name') || fileNameOf(call.form)).slice(0, MAX_NAME_LENGTH)
    const state = { status: 200, fault: null, work: randomUUID(), leaveOut: false, name }
    return previewPage(call, result.read, state)
  },
}

export interface PreviewState {
  readonly status: number
  readonly fault: string | null
  /** Names the submission, so that the same form sent again makes no second job. */
  readonly work: string
  /** Whether addresses that will fail are left out. */
  readonly leaveOut: boolean
  /** Of the job; empty where it has none. */
  readonly name: string
}

export function previewPage(
  call: Pick<PageCall, 'csrf' | 'session'>,
  read: ReadBulkForm,
  { status, ...state }: PreviewState,
): ShownPage {
  const canSubmit = mayChange(call.session)
  const body = <Preview {...{ call, read, canSubmit, ...state }} />
  return page('Check what was read', body, { status, section: '/bulk' })
}
