/** GET /health: what runs, what has stopped, and what cannot be seen from here. */
import { amountText, visibleText } from '@cupel/reports/document'
import { Moment, Notice, ScrollTable, page, type Page } from '@cupel/console'

interface Health {
  readonly state: string
  readonly looked_at: string
  readonly services: readonly {
    readonly name: string
    readonly state: string
    readonly failing: readonly string[]
    readonly host: string
    readonly release: string
    readonly started_at: string
    readonly seen_age_ms: number
  }[]
  readonly missing_services: readonly string[]
  readonly faults: readonly { readonly part: string; readonly detail: string; readonly remedy: string }[]
  readonly projections: readonly {
    readonly name: string
    readonly state: string
    readonly error: string | null
    readonly seen_age_ms: number
  }[]
  readonly groups: readonly { readonly group: string; readonly lag: number }[]
  readonly dead_letters: readonly { readonly topic: string; readonly records: number }[]
  readonly not_read: readonly string[]
  readonly not_looked_at: readonly string[]
}

export const showHealth: Page = {
  method: 'GET',
  path: '/health',
  access: 'session',
  async handle({ api }) {
    const health = await api.get<Health>('/v1/installation-health', {})
    return page(
      'Health',
      <>
        <h1>Health</h1>
        <p class="quiet">
          What the API saw in the database and the log at <Moment at={health.looked_at} withSeconds />.
        </p>
        <Standing health={health} />
        <Services services={health.services} />
        <Projections projections={health.projections} />
        <Groups groups={health.groups} />
        <h2>Not seen from here</h2>
        <p>
          Nobody can tell from this page: {health.not_looked_at.map(visibleText).join(', ')}. The command{' '}
          <code>cupel doctor</code> looks at them, where it runs.
        </p>
      </>,
      { section: '/health' },
    )
  },
}

/** Only the word `healthy` is good news: every other one, also an unknown one, is red. */
function Standing({ health }: { readonly health: Health }) {
  const { state, faults, missing_services: missing, not_read: unread, services, dead_letters: dead } = health
  const lost = dead.filter(({ records }) => records > 0)
  const stopped = services.filter((service) => service.state !== 'ready')
  if (state === 'healthy')
    return <Notice kind="done">Nothing has stopped, and nothing waits for too long.</Notice>
  return (
    <Notice kind="fault">
      <strong>
        {state === 'fault'
          ? 'Something has stopped or waits.'
          : 'It is not known whether the installation is healthy.'}
      </strong>
      <ul>
        {missing.length === 0 ? null : <li>No process runs of: {missing.map(visibleText).join(', ')}.</li>}
        {stopped.map(({ name, ...service }) => (
          <li key={name}>
            {visibleText(name)}: {serviceText(service)}.
          </li>
        ))}
        {faults.map(({ part, detail, remedy }) => (
          <li key={part + detail}>
            {visibleText(detail)} {remedy === '' ? null : <span class="quiet">{visibleText(remedy)}</span>}
          </li>
        ))}
        {lost.map(({ topic, records }) => (
          <li key={topic}>
            {visibleText(topic)} holds {amountText(String(records))} records that could not be handled.
          </li>
        ))}
        {unread.length === 0 ? null : (
          <li>These could not be read, so nothing is known of them: {unread.map(visibleText).join(', ')}.</li>
        )}
      </ul>
    </Notice>
  )
}

const serviceStates: Readonly<Record<string, string>> = {
  ready: 'ready',
  not_ready: 'not ready',
  not_seen: 'not seen any more',
}

const serviceText = ({ state, failing }: Pick<Health['services'][number], 'state' | 'failing'>): string =>
  (serviceStates[state] ?? visibleText(state)) +
  (failing.length === 0 ? '' : ` (${failing.map(visibleText).join(', ')})`)

function Services({ services }: Pick<Health, 'services'>) {
  if (services.length === 0)
    return (
      <p class="empty">
        No process sends a heartbeat. Where all services share one process, that process gave this answer.
      </p>
    )
  return (
    <ScrollTable
      caption="Services"
      class="stacked"
      head={['Service', 'State', 'Host', 'Release', 'Since', { number: 'Last seen' }]}
    >
      {services.map((service) => (
        <tr key={service.name}>
          <td>{visibleText(service.name)}</td>
          <td data-head="State">{serviceText(service)}</td>
          <td data-head="Host">{visibleText(service.host)}</td>
          <td data-head="Release">{visibleText(service.release)}</td>
          <td data-head="Since">
            <Moment at={service.started_at} />
          </td>
          <td class="number" data-head="Last seen">
            {seconds(service.seen_age_ms)} ago
          </td>
        </tr>
      ))}
    </ScrollTable>
  )
}

function Projections({ projections }: Pick<Health, 'projections'>) {
  return (
    <ScrollTable
      caption="Projections"
      class="stacked"
      head={['Projection', 'State', 'Why', { number: 'Last seen' }]}
    >
      {projections.map(({ name, state, error, seen_age_ms: age }) => (
        <tr key={name}>
          <td>{visibleText(name)}</td>
          <td data-head="State">{visibleText(state)}</td>
          <td data-head="Why" dir="auto">
            {error === null ? '–' : visibleText(error)}
          </td>
          <td class="number" data-head="Last seen">
            {seconds(age)} ago
          </td>
        </tr>
      ))}
    </ScrollTable>
  )
}

function Groups({ groups }: Pick<Health, 'groups'>) {
  return (
    <ScrollTable caption="Readers of the log" head={['Group', { number: 'Records that wait' }]}>
      {groups.map(({ group, lag }) => (
        <tr key={group}>
          <td>{visibleText(group)}</td>
          <td class="number">{amountText(String(lag))}</td>
        </tr>
      ))}
    </ScrollTable>
  )
}

const seconds = (ms: number): string => `${Math.round(ms / 1_000)} s`
