/** The filters of the audit log. */
export interface AuditFilter {
  readonly key: string
  readonly route: string
  readonly subject: string
  readonly client: string
  readonly outcome: string
  readonly from: string
  readonly to: string
}

export function filterOf(query: URLSearchParams): AuditFilter {
  const of = (name: string): string => (query.get(name) ?? '').trim()
  return {
    ...{ key: of('key'), route: of('route'), subject: of('subject'), client: of('client') },
    ...{ outcome: of('outcome'), from: of('from'), to: of('to') },
  }
}

/** Filters without an index: a page looks through a limited number of calls. */
export const isSearch = ({ route, subject, client, outcome }: AuditFilter): boolean =>
  [route, subject, client, outcome].some((value) => value !== '')

/** The most common paths; any other path can be given in the address of the page. */
const routes: readonly (readonly [string, string])[] = [
  ['/v1/screen', 'Screens'],
  ['/v1/transfers', 'Screened transfers'],
  ['/v1/reports/{report_id}', 'Reports that were read'],
  ['/v1/reports/{report_id}/pdf', 'PDFs'],
  ['/v1/reports', 'Searches of reports'],
  ['/v1/bulk', 'Bulk jobs'],
  ['/v1/webhook-endpoints', 'Webhook endpoints'],
  ['/v1/policy/what-if', 'Policies that were tried'],
  ['/v1/sessions', 'Sign-ins'],
  ['/v1/audit-log', 'This log'],
]

export function AuditFilters({ filter }: { readonly filter: AuditFilter }) {
  const isNarrowed = Object.values(filter).some((value) => value !== '')
  const hasOther = filter.route !== '' && !routes.some(([route]) => route === filter.route)
  return (
    <form method="get" action="/audit" class="filters no-print" role="search" aria-label="Search calls">
      <div>
        <label for="route">Call</label>
        <select id="route" name="route">
          <option value="">Any</option>
          {hasOther ? (
            <option value={filter.route} selected>
              {filter.route}
            </option>
          ) : null}
          {routes.map(([route, label]) => (
            <option key={route} value={route} selected={route === filter.route}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="outcome">Outcome</label>
        <select id="outcome" name="outcome">
          <option value="">Any</option>
          <option value="problem" selected={filter.outcome !== ''}>
            Refused or failed
          </option>
        </select>
      </div>
      <TextFilter name="subject" label="About: report or job id" value={filter.subject} />
      <TextFilter name="key" label="Key id" value={filter.key} />
      <TextFilter name="client" label="From address" value={filter.client} />
      <div>
        <label for="from">From day</label>
        <input id="from" name="from" type="date" value={filter.from} />
      </div>
      <div>
        <label for="to">To day</label>
        <input id="to" name="to" type="date" value={filter.to} />
      </div>
      <div class="filter-buttons">
        <button>Search</button>
        {isNarrowed ? (
          <a class="button plain" href="/audit">
            Clear
          </a>
        ) : null}
      </div>
    </form>
  )
}

interface TextFilterProps {
  readonly name: string
  readonly label: string
  readonly value: string
}

function TextFilter({ name, label, value }: TextFilterProps) {
  return (
    <div>
      <label for={name}>{label}</label>
      <input id={name} name={name} class="code" value={value} autocomplete="off" spellcheck={false} />
    </div>
  )
}
