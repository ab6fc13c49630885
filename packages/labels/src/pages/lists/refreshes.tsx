/** POST /lists/refresh, and the lists that are refreshed on a schedule. */
import { visibleText } from '@cupel/reports/document'
import { Form, Moment, ScrollTable, fieldOf, redirect, type Page, type PageCall } from '@cupel/console'

export interface ListRefresh {
  readonly name: string
  readonly due_at: string
  readonly is_running: boolean
  readonly succeeded_at: string | null
  readonly outcome: string | null
  readonly detail: string | null
  readonly failures: number
}

export const API_REFRESHES = '/v1/list-refreshes'

export const refreshNow: Page = {
  method: 'POST',
  path: '/lists/refresh',
  access: 'session',
  async handle({ api, form }) {
    await api.send('POST', API_REFRESHES, { name: fieldOf(form, 'name') })
    return redirect('/lists')
  },
}

interface RefreshesProps {
  readonly call: PageCall
  readonly items: readonly ListRefresh[]
}

export function Refreshes({ call, items }: RefreshesProps) {
  if (items.length === 0) return null
  return (
    <>
      <h2>Refreshes</h2>
      <ScrollTable
        caption="Refreshes"
        class="stacked"
        head={['List', 'Last outcome', 'Succeeded', 'Next', 'Refresh']}
      >
        {items.map((list) => (
          <tr key={list.name}>
            <td dir="auto">{visibleText(list.name)}</td>
            <td data-head="Last outcome">
              {list.failures === 0 ? '' : '! '}
              {list.outcome ?? 'none yet'}
              {list.detail === null ? null : <span class="quiet"> {visibleText(list.detail)}</span>}
            </td>
            <td data-head="Succeeded">
              <Moment at={list.succeeded_at} otherwise="never" />
            </td>
            <td data-head="Next">{list.is_running ? 'running' : <Moment at={list.due_at} />}</td>
            <td>
              <Form call={call} action="/lists/refresh">
                <input type="hidden" name="name" value={list.name} />
                <button class="plain" aria-label={`Refresh ${list.name} now`}>
                  Now
                </button>
              </Form>
            </td>
          </tr>
        ))}
      </ScrollTable>
    </>
  )
}
