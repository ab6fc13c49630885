/** POST /inbox: marks the chosen entries, or opens a case for each of their reports. */
import { ApiProblem, fieldOf, redirect, type Page, type PageAnswer, type PageCall } from '@cupel/console'
import { CHOICE, inboxPage } from './show-inbox.js'

/** A browser waits this long; pressing again opens the rest. */
const MAX_WORK_MS = 20_000

const MARKS: readonly string[] = ['read', 'unread', 'read-all']

/** Opens the case of a report. False if it has one; null if the key may not call any more in time. */
export type OpenCase = (
  call: Pick<PageCall, 'api'>,
  reportId: string,
  order: { readonly text: string; readonly until: number },
) => Promise<boolean | null>

export const changeInbox = (openCase: OpenCase | null): Page => ({
  method: 'POST',
  path: '/inbox',
  access: 'session',
  async handle(call) {
    const what = fieldOf(call.form, 'do')
    const chosen = chosenOf(call.form, what === 'read-all' ? 'shown' : CHOICE)
    const opensCases = openCase !== null
    if (chosen.length === 0)
      return await inboxPage(call, { status: 400, fault: 'Choose an entry first.', done: null, opensCases })
    if (what === 'cases' && openCase !== null) return await openCases(call, chosen, openCase)
    if (!MARKS.includes(what))
      return await inboxPage(call, {
        status: 400,
        fault: 'Choose an action of this page.',
        done: null,
        opensCases,
      })
    return await mark(call, chosen, { isRead: what !== 'unread', opensCases })
  },
})

interface Chosen {
  readonly entryId: string
  /** Empty if the entry has no report. */
  readonly reportId: string
}

function chosenOf(form: FormData, name: string): readonly Chosen[] {
  const values = form.getAll(name).filter((value) => typeof value === 'string')
  return [...new Set(values)].map((value) => {
    const [entryId = '', reportId = ''] = value.split(' ')
    return { entryId, reportId }
  })
}

async function mark(
  call: PageCall,
  chosen: readonly Chosen[],
  { isRead, opensCases }: { readonly isRead: boolean; readonly opensCases: boolean },
): Promise<PageAnswer> {
  const entryIds = chosen.map(({ entryId }) => entryId)
  try {
    await call.api.send('POST', '/v1/inbox/marks', { entry_ids: entryIds, read: isRead })
  } catch (error) {
    // A form that somebody changed, or that is older than the inbox.
    if (!(error instanceof ApiProblem) || ![400, 404].includes(error.status)) throw error
    return await inboxPage(call, { status: error.status, fault: error.detail, done: null, opensCases })
  }
  return redirect(`/inbox${withoutPage(call.query, 'marked', entryIds.length)}`)
}

async function openCases(call: PageCall, chosen: readonly Chosen[], openCase: OpenCase): Promise<PageAnswer> {
  const failed = { done: null, opensCases: true }
  const text = fieldOf(call.form, 'note').trim()
  if (text === '') return await inboxPage(call, { status: 400, fault: 'A note is needed.', ...failed })
  const reportIds = [...new Set(chosen.flatMap(({ reportId }) => (reportId === '' ? [] : [reportId])))]
  const until = Date.now() + MAX_WORK_MS
  let opened = 0
  for (const [index, reportId] of reportIds.entries()) {
    const isOpened = await openCase(call, encodeURIComponent(reportId), { text, until })
    if (isOpened === null) {
      const fault = `${opened} of ${reportIds.length} reports got a case. ${reportIds.length - index} could not be looked at in time: press again for the rest.`
      return await inboxPage(call, { status: 429, fault, ...failed })
    }
    if (isOpened) opened += 1
  }
  return redirect(`/inbox${withoutPage(call.query, 'opened', opened)}`)
}

function withoutPage(query: URLSearchParams, name: string, value: number): string {
  const changed = new URLSearchParams(query)
  for (const one of ['page_token', 'marked', 'opened']) changed.delete(one)
  changed.set(name, String(value))
  return `?${changed.toString()}`
}
