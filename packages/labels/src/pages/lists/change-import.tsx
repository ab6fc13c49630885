/** POST /lists/imports and /lists/imports/{import_id}/…: takes the file of a list, has it checked, and confirms its import. */
import { isRedirect, sendOrPropose } from '@cupel/gate/pages'
import { ApiProblem, fieldOf, redirect, type Page, type PageAnswer, type PageCall } from '@cupel/console'
import { API_IMPORTS, apiPathOf, pagePathOf, sendParts, type ListImport } from './list-import.js'
import { importPage } from './show-import.js'
import { listsPage } from './show-lists.js'

export const beginImport: Page = {
  method: 'POST',
  path: '/lists/imports',
  access: 'session',
  takesFile: true,
  async handle(call) {
    const { api, form } = call
    const given = ['format', 'dataset', 'source', 'fetch'].map(
      (name) => [name, fieldOf(form, name).trim()] as const,
    )
    const body = Object.fromEntries(given.filter(([, value]) => value !== ''))
    try {
      const { import_id: id } = await api.send<ListImport>('POST', API_IMPORTS, body)
      // A script sends the file in parts afterwards.
      if (fieldOf(form, 'staged') === '' && fieldOf(form, 'fetch') === '') {
        await sendParts(api, id, await bytesOf(form), 0)
        await api.send('POST', apiPathOf(id, '/check'))
      }
      return redirect(pagePathOf(id))
    } catch (error) {
      const refused = { fault: faultOf(error), status: (error as ApiProblem).status }
      return fieldOf(form, 'staged') === '' ? await listsPage(call, refused) : textOf(refused)
    }
  },
}

/** For the script, which shows it on the page of the form. */
const textOf = ({ fault, status }: { readonly fault: string; readonly status: number }): PageAnswer => ({
  ...{ kind: 'raw', status, body: fault },
  headers: { 'content-type': 'text/plain; charset=utf-8' },
})

const NO_CONTENT = 204

export const sendPart: Page = {
  method: 'POST',
  path: '/lists/imports/{import_id}/parts',
  access: 'session',
  takesFile: true,
  async handle({ api, form, path }) {
    await sendParts(api, path['import_id'] ?? '', await bytesOf(form), Number(fieldOf(form, 'part')))
    return { kind: 'raw', status: NO_CONTENT, headers: {}, body: null }
  },
}

/** Handles a form on the page of an import; that page shows the refusals of the API. */
function change(action: string, handle: (call: PageCall, importId: string) => Promise<PageAnswer>): Page {
  return {
    method: 'POST',
    path: `/lists/imports/{import_id}/${action}`,
    access: 'session',
    async handle(call) {
      try {
        return await handle(call, call.path['import_id'] ?? '')
      } catch (error) {
        return await importPage(call, { fault: faultOf(error), status: (error as ApiProblem).status })
      }
    },
  }
}

export const checkImport = change('check', async ({ api }, id) => {
  await api.send('POST', apiPathOf(id, '/check'))
  return redirect(pagePathOf(id))
})

export const confirmImport = change('confirm', async ({ api, form }, id) => {
  const reason = fieldOf(form, 'reason').trim()
  const accepted = { ...acceptedOf(form, 'accept_removals'), ...acceptedOf(form, 'accept_unreadable') }
  const body = { ...accepted, ...(reason === '' ? {} : { reason }) }
  const made = await sendOrPropose({ api, form }, () => api.send('POST', apiPathOf(id, '/confirm'), body), {
    confirm_import: { import_id: id, ...accepted },
  })
  if (isRedirect(made)) return made
  return redirect(pagePathOf(id))
})

/** The number of the box that a person ticked. */
function acceptedOf(form: FormData, name: string): Readonly<Record<string, number>> {
  const count = Number(fieldOf(form, name))
  return Number.isInteger(count) && count > 0 ? { [name]: count } : {}
}

async function bytesOf(form: FormData): Promise<Buffer> {
  const file = form.get('file')
  return file === null || typeof file === 'string' ? Buffer.alloc(0) : Buffer.from(await file.arrayBuffer())
}

/** The sentence of a refusal. Throws any other error. */
function faultOf(error: unknown): string {
  if (!(error instanceof ApiProblem) || ![400, 403, 409].includes(error.status)) throw error
  return error.errors[0]?.detail ?? error.detail
}
