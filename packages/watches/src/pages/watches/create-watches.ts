/** POST /watches: watches the addresses of the form, all of them or none. */
import { ApiProblem, type Watch, fieldOf, redirect, type Page } from '@cupel/console'
import { watchesPage } from './show-watches.js'
import { MAX_LINES } from './watch-form.js'

/** Refusals that the person can answer. */
const ANSWERABLE = [400, 403, 409, 422]

export const createWatches: Page = {
  method: 'POST',
  path: '/watches',
  access: 'session',
  async handle(call) {
    const state = {
      addresses: fieldOf(call.form, 'addresses').replaceAll('\r\n', '\n'),
      chain: fieldOf(call.form, 'chain'),
      reference: fieldOf(call.form, 'reference').trim(),
      isInDigest: fieldOf(call.form, 'digest') === 'yes',
    }
    const lines = state.addresses
      .split('\n')
      .map((text, index) => ({ number: index + 1, text: text.trim() }))
      .filter(({ text }) => text !== '')
    if (lines.length === 0)
      return watchesPage(call, { ...state, faults: ['Enter an address.'] }, { status: 400 })
    if (lines.length > MAX_LINES)
      return watchesPage(
        call,
        { ...state, faults: [`${lines.length} lines are more than the ${MAX_LINES} of one form.`] },
        { status: 400 },
      )
    try {
      const watches = lines.map(({ text: address }) => ({
        address,
        digest: state.isInDigest,
        ...(state.chain === '' ? {} : { chain: state.chain }),
        ...(state.reference === '' ? {} : { reference: state.reference }),
      }))
      const { items } = await call.api.send<{ items: readonly Watch[] }>('POST', '/v1/watches', { watches })
      return redirect(`/watches?watched=${items.length}`)
    } catch (error) {
      if (!(error instanceof ApiProblem) || !ANSWERABLE.includes(error.status)) throw error
      const faults = error.errors.map(({ pointer, detail }) => {
        const line = lines[Number(/^\/watches\/(\d+)\//.exec(pointer)?.[1] ?? Number.NaN)]
        return line === undefined ? detail : `Line ${line.number}: ${withLine(detail, lines)}`
      })
      const named = faults.length === 0 ? [error.detail] : [...new Set(faults)]
      return watchesPage(call, { ...state, faults: named }, { status: error.status })
    }
  },
}

/** The API counts addresses; the person sees lines. */
const withLine = (detail: string, lines: readonly { readonly number: number }[]): string =>
  detail.replace(/at \/watches\/(\d+)/, (whole, index: string) => {
    const line = lines[Number(index)]
    return line === undefined ? whole : `on line ${line.number}`
  })
