/** What waits for a decision, as pages show it. */
import { visibleText } from '@cupel/reports/document'
import {
  mayAdminister,
  Moment,
  nullWhereRefused,
  ScrollTable,
  type ListPage,
  type PageCall,
} from '@cupel/console'
import { API_CHANGES, changeTitle, pathOfChange, personText, type ProposedChange } from './proposed-change.js'

/** The newest open changes, which a page shows. */
const MAX_SHOWN = 50

interface Waiting {
  readonly path: string
  readonly what: string
  readonly by: string
  readonly at: string
  readonly why: string
}

type Waits = {
  readonly items: readonly Waiting[]
  /** Whether older ones wait that are not among them. */
  readonly hasOlder: boolean
} | null

/** Everything that waits, newest first; null if the API does not tell it. */
export async function readWaiting({ api, session }: Pick<PageCall, 'api' | 'session'>): Promise<Waits> {
  if (!mayAdminister(session)) return { items: [], hasOlder: false }
  const asked = { show: 'open', page_size: MAX_SHOWN }
  const page = await api.get<ListPage<ProposedChange>>(API_CHANGES, asked).catch(nullWhereRefused)
  if (page === null) return null
  const items = page.items.map((one) => ({
    ...{ path: pathOfChange(one.change_id), what: changeTitle(one), by: personText(one.proposed_by) },
    ...{ at: one.proposed_at, why: one.reason },
  }))
  return { items, hasOlder: page.next_page_token !== null }
}

export function WaitingChanges({ of: waiting }: { readonly of: Waits }) {
  if (waiting === null)
    return <p class="quiet">The changes that wait for a second person cannot be read right now.</p>
  if (waiting.items.length === 0) return null
  return (
    <section aria-labelledby="waiting-title">
      <h2 id="waiting-title">Changes that wait for a decision</h2>
      <ScrollTable
        caption="Changes that wait"
        class="stacked"
        head={['Change', 'Proposed by', 'When', 'Why']}
      >
        {waiting.items.map(({ path, what, by, at, why }) => (
          <tr key={path}>
            <td>
              <a href={path}>{what}</a>
            </td>
            <td data-head="Proposed by" dir="auto">
              {by}
            </td>
            <td data-head="When">
              <Moment at={at} />
            </td>
            <td data-head="Why" dir="auto">
              {visibleText(why)}
            </td>
          </tr>
        ))}
      </ScrollTable>
      {waiting.hasOlder ? (
        <p>
          Older ones wait as well: <code>cupel keys changes</code> lists all.
        </p>
      ) : null}
    </section>
  )
}
