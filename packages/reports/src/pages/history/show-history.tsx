/** GET /history: the reports of the account, newest first, with a search. */
import { dispositions, riskLevels } from '@cupel/contracts'
import { chains } from '@cupel/domain'
import { dispositionText, en } from '../../document/index.js'
import {
  type ApiClient,
  ApiProblem,
  type ReportPage,
  Notice,
  Pager,
  ReportTable,
  page,
  redirect,
  type Page,
} from '@cupel/console'
import { adviseOn } from '@cupel/screening/pages'
import { findChange, type ReportChange } from '../compare/report-change.js'
import { scoreChanges, ScoreLine } from './score-line.js'

const PAGE_SIZE = 50
const REPORT_ID = /^[0-9a-f]{16}$/

interface Filter {
  /** An address in any of its forms, or the id of a report. */
  readonly q: string
  readonly level: string
  readonly chain: string
  /** State of the case; `none` for reports without one. */
  readonly disposition: string
  readonly reference: string
  readonly from: string
  readonly to: string
}

export const showHistory: Page = {
  method: 'GET',
  path: '/history',
  access: 'session',
  async handle({ api, query }) {
    const filter = filterOf(query)
    if (REPORT_ID.test(filter.q)) return redirect(`/reports/${filter.q}`)
    const advice = adviseOn(filter.q, filter.chain)
    if (advice.kind === 'fault') return historyPage({ filter, query, found: null, fault: advice.text })
    try {
      const found = await api.get<ReportPage>('/v1/reports', {
        address: filter.q,
        chain: filter.chain,
        level: filter.level,
        disposition: filter.disposition,
        customer_reference: filter.reference,
        from: filter.from,
        to: dayAfter(filter.to),
        page_size: PAGE_SIZE,
        page_token: query.get('page_token'),
      })
      return historyPage({
        filter,
        query,
        found,
        fault: null,
        explained: await explainedIn(api, filter, found),
      })
    } catch (error) {
      if (!(error instanceof ApiProblem) || ![400, 422].includes(error.status)) throw error
      const details = error.errors.map(({ detail }) => detail)
      return historyPage({
        filter,
        query,
        found: null,
        fault: [...new Set(details)].join(' ') || error.detail,
      })
    }
  },
}

function filterOf(query: URLSearchParams): Filter {
  const of = (name: string): string => (query.get(name) ?? '').trim()
  return {
    ...{
      q: of('q'),
      level: of('level'),
      chain: of('chain'),
      disposition: of('disposition'),
      reference: of('reference'),
    },
    ...{ from: of('from'), to: of('to') },
  }
}

/** People include the whole last day; the API takes the first moment after the range. */
export function dayAfter(day: string): string {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return day
  const next = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(next.getTime())) return day
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString().slice(0, day.length)
}

/** Changes whose causes are asked for, the newest ones: each is decided again. */
const MOST_EXPLAINED = 10

async function explainedIn(
  api: ApiClient,
  { q }: Filter,
  { items }: ReportPage,
): Promise<ReadonlyMap<string, ReportChange | null>> {
  if (q === '') return new Map()
  const changes = scoreChanges(items).slice(0, MOST_EXPLAINED)
  return new Map(
    await Promise.all(
      changes.map(
        async ([before, after]) => [after.report_id, await findChange(api, before, after)] as const,
      ),
    ),
  )
}

interface History {
  readonly filter: Filter
  readonly query: URLSearchParams
  /** Null where the filter was refused. */
  readonly found: ReportPage | null
  readonly fault: string | null
  readonly explained?: ReadonlyMap<string, ReportChange | null>
}

function historyPage({ filter, query, found, fault, explained = new Map() }: History) {
  const isNarrowed = Object.values(filter).some((value) => value !== '')
  const reports = found?.items ?? []
  const next = found?.next_page_token ?? null
  const isOfOneAddress = filter.q !== '' && reports.length > 1
  const table = <ReportTable reports={reports} caption="Reports" isSelectable={isOfOneAddress} />
  return page(
    'History',
    <section>
      <h1>History</h1>
      <Filters filter={filter} isNarrowed={isNarrowed} />
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {fault !== null ? null : reports.length === 0 ? (
        <Nothing isNarrowed={isNarrowed} hasMore={next !== null} address={filter.q} />
      ) : isOfOneAddress ? (
        <>
          <ScoreLine reports={reports} explained={explained} />
          <form method="get" action="/compare">
            {table}
            <p class="no-print">
              <button class="plain">Compare two reports</button>
            </p>
          </form>
        </>
      ) : (
        table
      )}
      <Pager path="/history" query={query} next={next} isSearch={filter.reference !== ''} />
    </section>,
    { section: '/history', status: fault === null ? 200 : 400 },
  )
}

function Nothing(props: {
  readonly isNarrowed: boolean
  readonly hasMore: boolean
  readonly address: string
}) {
  const { isNarrowed, hasMore, address } = props
  if (hasMore)
    return <p class="empty">Nothing fits among the reports looked through so far. Older ones are left.</p>
  if (!isNarrowed)
    return (
      <p class="empty">
        No address was screened yet. <a href="/screen">Screen the first one</a>.
      </p>
    )
  return (
    <p class="empty">
      No report fits these filters.{' '}
      {address === '' ? null : (
        <a href={`/screen?address=${encodeURIComponent(address)}`}>Screen this address now</a>
      )}
    </p>
  )
}

function Filters({ filter, isNarrowed }: { readonly filter: Filter; readonly isNarrowed: boolean }) {
  return (
    <form method="get" action="/history" class="filters no-print" role="search" aria-label="Search reports">
      <div class="wide">
        <label for="q">Address or report id</label>
        <input id="q" name="q" class="code" value={filter.q} autocomplete="off" spellcheck={false} />
      </div>
      <div>
        <label for="level">Level</label>
        <select id="level" name="level">
          <option value="">Any</option>
          {riskLevels.map((level) => (
            <option key={level} value={level} selected={level === filter.level}>
              {en.levels[level]}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="chain">Chain</label>
        <select id="chain" name="chain">
          <option value="">Any</option>
          {chains.map(({ code }) => (
            <option key={code} value={code} selected={code === filter.chain}>
              {code}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="disposition">Case</label>
        <select id="disposition" name="disposition">
          <option value="">Any</option>
          {[...dispositions, 'none'].map((one) => (
            <option key={one} value={one} selected={one === filter.disposition}>
              {one === 'none' ? 'No case' : dispositionText(one)}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="reference">Reference, exactly</label>
        <input id="reference" name="reference" value={filter.reference} maxlength={128} autocomplete="off" />
      </div>
      <div>
        <label for="from">From</label>
        <input id="from" name="from" type="date" value={filter.from} />
      </div>
      <div>
        <label for="to">To</label>
        <input id="to" name="to" type="date" value={filter.to} />
      </div>
      <div class="filter-buttons">
        <button>Search</button>
        {isNarrowed ? (
          <a class="button plain" href="/history">
            Clear
          </a>
        ) : null}
      </div>
    </form>
  )
}
