/** POST /transfers: screens the transfer and opens the report of its counterparty. */
import { ApiProblem, attemptKey, fieldOf, redirect, type Page } from '@cupel/console'
import { latePage } from '../screen/submit-screen.js'
import { newest, stateOf, transfersPage } from './show-transfers.js'
import { transferFields } from './transfer-form.js'

export const submitTransfer: Page = {
  method: 'POST',
  path: '/transfers',
  access: 'session',
  async handle(call) {
    const read = (name: string): string => fieldOf(call.form, name)
    const state = stateOf(read, null)
    const body = Object.fromEntries(
      transferFields.flatMap((name) => (state[name] === '' ? [] : [[name, state[name]]])),
    )
    try {
      const key = attemptKey(read('attempt'), body)
      const headers = { 'idempotency-key': key }
      const made = await call.api.send<{ transfer_id: string }>('POST', '/v1/transfers', body, headers)
      return redirect(`/reports/${made.transfer_id}`)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      const { report_id: reportId } = error.document
      if (error.code === 'screening_timeout' && typeof reportId === 'string') return latePage(reportId)
      if (error.status === 401 || error.status >= 500) throw error
      const found = error.errors.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`)
      const fault = (found.length === 0 ? [error.detail] : found).join(' ')
      return transfersPage(call, { ...state, fault }, await newest(call), error.status)
    }
  },
}
