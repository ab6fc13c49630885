/** GET /lists: which lists are in force, and how old they are. */
import { amountText, en, nameOf, setName } from '@cupel/reports/document'
import {
  type LabelList,
  type ListPage,
  Moment,
  Notice,
  Pager,
  ScrollTable,
  page,
  type Page,
  type PageCall,
  type ShownPage,
  mayOperate,
} from '@cupel/console'
import { ImportSection } from './import-form.js'
import { API_REFRESHES, Refreshes, type ListRefresh } from './refreshes.js'
import { API_IMPORTS, type ListImport } from './list-import.js'
import { ageText, hasWholeList, isInTheWay, ListState } from './list-state.js'

export const showLists: Page = {
  method: 'GET',
  path: '/lists',
  access: 'session',
  handle: (call) => listsPage(call, { fault: null, status: 200 }),
}

const SHOWN_IMPORTS = 10

/** `fault`: why the last try began no import. */
export async function listsPage(
  call: PageCall,
  { fault, status }: { readonly fault: string | null; readonly status: number },
): Promise<ShownPage> {
  const { api, query, session } = call
  const [{ items, next_page_token: next }, imports, refreshes] = await Promise.all([
    api.get<ListPage<LabelList>>('/v1/lists', { page_token: query.get('page_token') }),
    mayOperate(session)
      ? api.get<ListPage<ListImport>>(API_IMPORTS, { page_size: SHOWN_IMPORTS })
      : { items: [] },
    mayOperate(session) ? api.get<ListPage<ListRefresh>>(API_REFRESHES, {}) : { items: [] },
  ])
  const authorities = items.filter(({ authority }) => authority !== null)
  const needed = items.filter(
    (list) => list.authority === null && (list.required || list.status === 'missing'),
  )
  const others = items.filter((list) => list.authority === null && !needed.includes(list))
  const faults = items.filter(isInTheWay)
  return page(
    'Lists',
    <section>
      <h1>Lists</h1>
      <p class="quiet">
        What screenings rest on at this moment. A report names the lists of its own time. A list that is too
        old changes no score; it only keeps addresses from green.
      </p>
      {items.length > 0 ? null : (
        <p class="empty">
          {session?.livemode === false ? 'The sandbox reads no lists.' : 'No list was imported yet.'}
        </p>
      )}
      {faults.length === 0 ? null : (
        <Notice kind="fault">
          {faults.length === 1
            ? 'A required list cannot be relied on, so no address is green'
            : `${faults.length} required lists cannot be relied on, so no address is green`}
          : {faults.map(setName).join(', ')}.
        </Notice>
      )}
      {session?.livemode !== true || hasWholeList(items) ? null : (
        <Notice kind="hint">
          No whole sanctions list is in force, so no address is green. An operator imports one, or has it
          refreshed on a schedule.
        </Notice>
      )}
      <ListTable title="Lists of authorities" lists={authorities} />
      <ListTable title="Other required lists" lists={needed} />
      <ListTable title="Other sources" lists={others} />
      <Pager path="/lists" query={query} next={next} />
      <Refreshes call={call} items={refreshes.items} />
      {mayOperate(session) ? <ImportSection {...{ call, fault }} imports={imports.items} /> : null}
    </section>,
    { section: '/lists', status },
  )
}

function ListTable({ title, lists }: { readonly title: string; readonly lists: readonly LabelList[] }) {
  if (lists.length === 0) return null
  return (
    <>
      <h2>{title}</h2>
      <ScrollTable
        caption={title}
        class="stacked"
        head={[
          'State',
          'List',
          'Authority',
          'Imported',
          'Dated',
          'Confirmed',
          { number: 'Age' },
          { number: 'Labels' },
        ]}
      >
        {lists.map((list) => (
          <tr key={setName(list)}>
            <td>
              <ListState list={list} />
            </td>
            <td dir="auto">
              {setName(list)} {list.required ? <span class="tag">required</span> : null}
            </td>
            <td data-head="Authority">
              {list.authority === null ? '–' : nameOf(en.authorities, list.authority)}
            </td>
            <td data-head="Imported">
              {list.authority === null ? '–' : list.whole ? en.provenance.whole : en.provenance.part}
            </td>
            <td data-head="Dated">
              <Moment at={list.list_date} />
            </td>
            <td data-head="Confirmed">
              <Moment at={list.confirmed_at} />
            </td>
            <td class="number" data-head="Age">
              {ageText(list.age_hours)}
            </td>
            <td class="number" data-head="Labels">
              {amountText(String(list.labels))}
            </td>
          </tr>
        ))}
      </ScrollTable>
    </>
  )
}
