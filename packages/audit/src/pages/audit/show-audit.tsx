/** GET /audit: every call with a key of the account, newest first, with filters. */
import { visibleText } from '@cupel/reports/document'
import {
  ApiProblem,
  type ListPage,
  Moment,
  Notice,
  Pager,
  ScrollTable,
  page,
  type Page,
} from '@cupel/console'
import { dayAfter } from '@cupel/reports/pages'
import { AuditFilters, filterOf, isSearch, type AuditFilter } from './audit-filters.js'

export interface AuditEntry {
  readonly at: string
  readonly request_id: string
  readonly key_id: string
  readonly scope: string
  /** The person, where a sign-in service named one; absent in versions that know none. */
  readonly actor?: string | null
  readonly client_address: string
  readonly method: string
  readonly route: string
  readonly status: number
  readonly code: string | null
  readonly subject_ids: readonly string[]
  readonly latency_ms: number
}

const PAGE_SIZE = 100

export const showAudit: Page = {
  method: 'GET',
  path: '/audit',
  access: 'session',
  async handle({ api, query }) {
    const filter = filterOf(query)
    let found: ListPage<AuditEntry> = { items: [], next_page_token: null }
    let fault: string | null = null
    try {
      found = await api.get<ListPage<AuditEntry>>('/v1/audit-log', {
        ...auditQuery(filter),
        page_size: PAGE_SIZE,
        page_token: query.get('page_token'),
      })
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 400) throw error
      fault = faultOf(error)
    }
    return page(
      'Audit log',
      <section>
        <h1>Audit log</h1>
        <p class="quiet">
          Every call with a key of this account, refused ones included. Keys themselves are stored nowhere.
        </p>
        <AuditFilters filter={filter} />
        {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
        <Entries filter={filter} found={found} isRefused={fault !== null} />
        {fault === null && found.items.length > 0 ? <Downloads filter={filter} /> : null}
        <Pager path="/audit" query={query} next={found.next_page_token} isSearch={isSearch(filter)} />
      </section>,
      { section: '/audit', status: fault === null ? 200 : 400 },
    )
  },
}

/** The filter as the API takes it. */
export const auditQuery = (filter: AuditFilter) => ({
  key_id: filter.key,
  route: filter.route,
  subject_id: filter.subject,
  client_address: filter.client,
  outcome: filter.outcome === '' ? '' : 'problem',
  from: filter.from,
  to: dayAfter(filter.to),
})

export const faultOf = ({ errors, detail }: ApiProblem): string =>
  errors.map((one) => one.detail).join(' ') || detail

/** The same calls as a file: all pages of the filter. */
function Downloads({ filter }: { readonly filter: AuditFilter }) {
  const given = Object.entries(filter).filter(([, value]) => value !== '')
  const query = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`
  return (
    <p class="actions no-print">
      <a class="button plain" href={`/audit/calls.csv${query}`}>
        Download as CSV
      </a>{' '}
      <a class="button plain" href={`/audit/calls.ndjson${query}`}>
        Download as lines of JSON
      </a>
    </p>
  )
}

interface EntriesProps {
  readonly filter: AuditFilter
  readonly found: ListPage<AuditEntry>
  readonly isRefused: boolean
}

function Entries({ filter, found: { items, next_page_token: next }, isRefused }: EntriesProps) {
  if (isRefused) return null
  if (items.length === 0)
    return (
      <p class="empty">
        {next !== null
          ? 'Nothing fits among the calls looked through so far. Older ones are left.'
          : Object.values(filter).some((value) => value !== '')
            ? 'No call fits these filters.'
            : 'No call was made yet.'}
      </p>
    )
  return (
    <ScrollTable
      caption="Calls"
      class="audit stacked"
      head={['When', 'Who', 'Call', 'Outcome', 'About', 'From', { number: 'ms' }]}
    >
      {items.map((entry) => (
        <Entry key={entry.request_id} entry={entry} />
      ))}
    </ScrollTable>
  )
}

const REFUSED_FROM = 400
const FAILED_FROM = 500

function Entry({ entry }: { readonly entry: AuditEntry }) {
  const { at, request_id, key_id, actor, client_address, method, route, status, code, subject_ids } = entry
  return (
    <tr>
      <td title={`Request ${request_id}`}>
        <Moment at={at} />
      </td>
      <td dir="auto">
        {typeof actor === 'string' && actor !== '' ? <>{visibleText(actor)}, </> : null}
        <code>{key_id}</code>
      </td>
      <td>
        {method} <code>{visibleText(route)}</code>
      </td>
      <td>
        <span class={status >= REFUSED_FROM ? 'outcome outcome-problem' : 'outcome'}>
          <span class="sign" aria-hidden="true">
            {status >= FAILED_FROM ? '!' : status >= REFUSED_FROM ? '×' : '✓'}
          </span>{' '}
          {status}
          {code === null ? '' : ` ${visibleText(code)}`}
        </span>
      </td>
      <td>
        {subject_ids.map((id) => (
          <Subject key={id} id={id} />
        ))}
      </td>
      <td>{visibleText(client_address)}</td>
      <td class="number">{Math.round(entry.latency_ms)}</td>
    </tr>
  )
}

const REPORT_ID = /^[0-9a-f]{16}$/
const JOB_ID = /^job_/

function Subject({ id }: { readonly id: string }) {
  const shown = <code>{visibleText(id)}</code>
  if (REPORT_ID.test(id)) return <a href={`/reports/${id}`}>{shown}</a>
  if (JOB_ID.test(id)) return <a href={`/bulk/${encodeURIComponent(id)}`}>{shown}</a>
  return shown
}
