/** GET /bulk/new: the form. */
import { page, type Page, type PageCall, type ShownPage } from '@cupel/console'
import { BulkForm } from './bulk-form.js'

export const newJob: Page = {
  method: 'GET',
  path: '/bulk/new',
  access: 'session',
  handle: (call) => bulkFormPage(call, { fault: null, text: '', status: 200 }),
}

interface FormState {
  /** Why the last try led to no job. */
  readonly fault: string | null
  readonly text: string
  readonly status: number
}

export function bulkFormPage(call: Pick<PageCall, 'csrf'>, { status, ...state }: FormState): ShownPage {
  const body = <BulkForm call={call} {...state} />
  return page('Screen many addresses', body, { status, section: '/bulk' })
}
