/** POST /screen: screens the address and opens its report. */
import type { Report } from '@cupel/contracts'
import { ApiProblem, fieldOf, page, redirect, type Page, type ShownPage, attemptKey } from '@cupel/console'
import { adviseOn } from './address-advice.js'
import { screenPage } from './show-screen.js'

const BAD_REQUEST = 400

export const submitScreen: Page = {
  method: 'POST',
  path: '/screen',
  access: 'session',
  async handle(call) {
    const address = fieldOf(call.form, 'address').trim()
    const chain = fieldOf(call.form, 'chain')
    const reference = fieldOf(call.form, 'reference').trim()
    const state = { address, chain, reference }
    const advice = adviseOn(address, chain)
    if (advice.kind === 'empty')
      return screenPage(call, { ...state, fault: 'Enter an address.' }, BAD_REQUEST)
    if (advice.kind === 'fault')
      return screenPage(
        call,
        { ...state, address: advice.isSecret ? '' : address, fault: advice.text },
        BAD_REQUEST,
      )
    const body = {
      address,
      ...(chain === '' ? {} : { chain }),
      ...(reference === '' ? {} : { customer_reference: reference }),
    }
    try {
      const key = attemptKey(fieldOf(call.form, 'attempt'), body)
      const report = await call.api.send<Report>('POST', '/v1/screen', body, { 'idempotency-key': key })
      return redirect(`/reports/${report.report_id}`)
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      const { report_id: reportId } = error.document
      if (error.code === 'screening_timeout' && typeof reportId === 'string') return latePage(reportId)
      if (error.status === 401 || error.status >= 500) throw error
      const fault = [error.detail, ...error.errors.map(({ detail }) => detail)]
      return screenPage(call, { ...state, fault: [...new Set(fault)].join(' ') }, error.status)
    }
  },
}

export function latePage(reportId: string): ShownPage {
  return page(
    'Still being screened',
    <section>
      <h1>The address is still being screened</h1>
      <p>The screening goes on, and nothing has to be sent again. Its report will be here:</p>
      <p>
        <a class="button" href={`/reports/${reportId}`}>
          Open report {reportId}
        </a>
      </p>
    </section>,
    { status: 202, section: '/screen' },
  )
}
