/** GET /: the first page of a compliance desk: a field for an address, problems of the lists, and the latest reports. */
import { setName, visibleText } from '@cupel/reports/document'
import {
  ApiProblem,
  type LabelList,
  type ListPage,
  type ReportPage,
  Notice,
  ReportTable,
  page,
  type Page,
} from '@cupel/console'
import {
  API_DEMO,
  DemoSection,
  isChanging,
  type Demo,
  ageText,
  hasWholeList,
  isInTheWay,
  isWholeList,
} from '@cupel/labels/pages'
import { emptyForm, ScreenForm } from '@cupel/screening/pages'
import { homeCards } from '../../features.js'
import { FirstSteps } from './first-steps.js'

/** While the demo changes the browser asks again. */
const REFRESH = { refresh: '2' }
const LATEST_REPORTS = 10
const RED_REPORTS = 5

export const showHome: Page = {
  method: 'GET',
  path: '/',
  access: 'session',
  async handle(call) {
    const { api, session } = call
    const [latest, red, lists, demo, ...cards] = await Promise.all([
      api.get<ReportPage>('/v1/reports', { page_size: LATEST_REPORTS }).catch(inArchive),
      api.get<ReportPage>('/v1/reports', { level: 'red', page_size: RED_REPORTS }).catch(inArchive),
      api.get<ListPage<LabelList>>('/v1/lists'),
      session?.livemode === true ? api.get<Demo>(API_DEMO) : null,
      ...homeCards.map((card) => card(call)),
    ])
    const mayBeGreen = hasWholeList(lists.items) && !lists.items.some(isInTheWay)
    // The steps stay until an address was screened with a whole list in force, or until the account works without one.
    const isBeginning =
      !('archived' in latest) &&
      (latest.items.length === 0 ||
        (session?.livemode === true &&
          latest.items.length < LATEST_REPORTS &&
          !isScreenedSince(latest.items, lists.items)))
    return page(
      'Home',
      <>
        <section aria-labelledby="screen-title">
          <h1 id="screen-title">Screen an address</h1>
          <ScreenForm call={call} state={emptyForm} />
        </section>
        {session?.livemode === false ? null : <ListsInShort lists={lists.items} />}
        {cards}
        {isBeginning ? <FirstSteps {...{ call, mayBeGreen }} reports={latest.items} /> : null}
        {demo !== null && (isBeginning || demo.status !== 'off') ? <DemoSection {...{ call, demo }} /> : null}
        {(red.items.length === 0 && !('archived' in red)) || latest.items.length === 0 ? null : (
          <section aria-labelledby="red-title">
            <h2 id="red-title">Latest red reports</h2>
            {'archived' in red ? (
              <Notice kind="hint">{red.archived}</Notice>
            ) : (
              <ReportTable reports={red.items} caption="Latest red reports" />
            )}
            <p>
              <a href="/history?level=red">All red reports</a>
            </p>
          </section>
        )}
        <section aria-labelledby="latest-title">
          <h2 id="latest-title">Latest reports</h2>
          {'archived' in latest ? (
            <Notice kind="hint">{latest.archived}</Notice>
          ) : latest.items.length === 0 ? (
            <p class="empty">No address was screened yet.</p>
          ) : (
            <>
              <ReportTable reports={latest.items} caption="Latest reports" />
              <p>
                <a href="/history">History</a>
              </p>
            </>
          )}
        </section>
      </>,
      { section: '/', headers: demo !== null && isChanging(demo) ? REFRESH : {} },
    )
  },
}

/** The newest report of a list is in an archive that this installation does not read: it says so in place of the list. */
function inArchive(error: unknown): { readonly items: readonly []; readonly archived: string } {
  if (error instanceof ApiProblem && error.code === 'report_retired')
    return { items: [], archived: visibleText(error.detail) }
  throw error
}

function isScreenedSince(reports: ReportPage['items'], lists: readonly LabelList[]): boolean {
  const since = lists.filter(isWholeList).map(({ published_at: at }) => at ?? '')
  return since.length > 0 && reports.some(({ generated_at: at }) => since.every((one) => at >= one))
}

/** Whether the lists of authorities can be relied on, in one line. */
function ListsInShort({ lists }: { readonly lists: readonly LabelList[] }) {
  const faults = lists.filter(isInTheWay)
  const own = lists.filter(isWholeList)
  if (faults.length > 0)
    return (
      <Notice kind="fault">
        No address is green at the moment: {faults.map(setName).join(', ')}{' '}
        {faults.length === 1 ? 'is' : 'are'} too old, incomplete or absent. <a href="/lists">See the lists</a>
        .
      </Notice>
    )
  if (own.length === 0)
    return (
      <Notice kind="hint">
        No whole sanctions list is in force, so no address is green. <a href="/lists">See the lists</a>.
      </Notice>
    )
  return (
    <p class="quiet">
      <span class="sign" aria-hidden="true">
        ✓
      </span>{' '}
      Sanctions lists in force:{' '}
      {own.map((list) => `${setName(list)} (${ageText(list.age_hours)})`).join(', ')}.{' '}
      <a href="/lists">All lists</a>
    </p>
  )
}
