/** GET /usage: calls of today and of this month, against the plans of the keys. */
import { amountText, visibleText } from '@cupel/reports/document'
import { Moment, Notice, ScrollTable, page, type Page } from '@cupel/console'
import { DayChart } from './day-chart.js'
import type { Counts, KeyUsage, UsageAnswer, UsageDay } from './usage-answer.js'

export const showUsage: Page = {
  method: 'GET',
  path: '/usage',
  access: 'session',
  async handle({ api }) {
    const { today, month, counted_from: countedFrom, days, keys } = await api.get<UsageAnswer>('/v1/usage')
    return page(
      'Usage',
      <section>
        <h1>Usage</h1>
        {countedFrom === null ? null : (
          <Notice kind="hint">
            There were more calls than are counted at once. The figures begin <Moment at={countedFrom} /> and
            are lower bounds.
          </Notice>
        )}
        <div class="cards">
          <Card title="Today, UTC" counts={today} />
          <Card title="This month" counts={month} />
        </div>
        <DayChart from={month.from} today={today.from} days={days} />
        <p class="quiet">
          Calls of each day. Figures come from the <a href="/audit">audit log</a>; a call counts in them a
          moment after it was answered. Pages of this console call the API too, with the key of the session.
          Addresses of <a href="/bulk">bulk jobs</a> are not among the screens.
        </p>
        <h2>Keys</h2>
        <KeyTable keys={keys} />
        <ExportForm from={month.from} today={today.from} />
        <h2>Days</h2>
        {days.length === 0 ? <p class="empty">There was no call this month.</p> : <DayTable days={days} />}
      </section>,
      { section: '/usage' },
    )
  },
}

/** The use of each key on each day of a range, as a file. */
function ExportForm({ from, today }: { readonly from: string; readonly today: string }) {
  const dayOf = (time: string): string => time.slice(0, 'YYYY-MM-DD'.length)
  return (
    <form
      method="get"
      action="/usage/days.csv"
      class="filters no-print"
      aria-label="Download the use of keys"
    >
      <div>
        <label for="from">From day</label>
        <input id="from" name="from" type="date" value={dayOf(from)} />
      </div>
      <div>
        <label for="to">To day</label>
        <input id="to" name="to" type="date" value={dayOf(today)} />
      </div>
      <div class="filter-buttons">
        <button class="plain">Download as CSV</button>
      </div>
    </form>
  )
}

const number = (value: number): string => amountText(String(value))

function Card({ title, counts }: { readonly title: string; readonly counts: Counts }) {
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <dl>
        <div>
          <dt>Calls</dt>
          <dd>{number(counts.calls)}</dd>
        </div>
        <div>
          <dt>Screens</dt>
          <dd>{number(counts.screens)}</dd>
        </div>
        <div>
          <dt>Refused or failed</dt>
          <dd>{number(counts.problems)}</dd>
        </div>
        <div>
          <dt>Over the rate limit</dt>
          <dd>{number(counts.rate_limited)}</dd>
        </div>
      </dl>
    </section>
  )
}

function KeyTable({ keys }: { readonly keys: readonly KeyUsage[] }) {
  return (
    <ScrollTable
      caption="Keys"
      class="stacked"
      head={[
        'Key',
        'Plan',
        'Last used',
        { number: 'Calls today' },
        { number: 'Calls this month' },
        { number: 'Screens this month' },
        { number: 'Over the limit' },
      ]}
    >
      {keys.map((key) => (
        <tr key={key.key_id}>
          <td>
            <a href={`/audit?key=${encodeURIComponent(key.key_id)}`}>
              <code>{key.key_id}</code>
            </a>{' '}
            {visibleText(key.name)} <span class="tag">{key.scope}</span>{' '}
            {key.status === 'active' ? null : <span class="tag">{key.status}</span>}
          </td>
          <td>{planText(key.plan)}</td>
          <td data-head="Last used">
            <Moment at={key.last_used_at} otherwise="never" />
          </td>
          <td class="number" data-head="Calls today">
            {number(key.today.calls)}
          </td>
          <td class="number" data-head="Calls this month">
            {number(key.month.calls)}
          </td>
          <td class="number" data-head="Screens this month">
            {number(key.month.screens)}
          </td>
          <td class="number" data-head="Over the limit">
            {number(key.month.rate_limited)}
          </td>
        </tr>
      ))}
    </ScrollTable>
  )
}

function planText({ name, calls_per_second, burst, on_empty }: KeyUsage['plan']): string {
  const limits = `${number(calls_per_second)} calls a second, ${number(burst)} at once`
  return `${name}: ${limits}${on_empty === 'fair-use' ? ', fair use' : ''}`
}

const DAY_FIGURES = [
  ['Calls', 'calls'],
  ['Screens', 'screens'],
  ['Refused or failed', 'problems'],
  ['Over the rate limit', 'rate_limited'],
] as const

function DayTable({ days }: { readonly days: readonly UsageDay[] }) {
  return (
    <ScrollTable
      caption="Days"
      class="stacked"
      head={['Day', ...DAY_FIGURES.map(([title]) => ({ number: title }))]}
    >
      {days.map((figures) => (
        <tr key={figures.day}>
          <td>
            <a href={`/audit?from=${figures.day}&to=${figures.day}`}>
              <Moment at={figures.day} />
            </a>
          </td>
          {DAY_FIGURES.map(([title, name]) => (
            <td class="number" data-head={title} key={title}>
              {number(figures[name])}
            </td>
          ))}
        </tr>
      ))}
    </ScrollTable>
  )
}
