/** GET /compare?report=…&report=…: the changes between two reports of one address. */
import type { Report } from '@cupel/contracts'
import { keyParts, parseAddress } from '@cupel/domain'
import { compareReports, verdictOf, visibleText } from '../../document/index.js'
import { type ApiClient, ApiProblem, Notice, page, redirect, type Page, type ShownPage } from '@cupel/console'
import { findChange } from './report-change.js'
import { ComparisonView } from './comparison-view.js'
import { findPredecessor } from './find-predecessor.js'

const NOT_FOUND = 404

export const showCompare: Page = {
  method: 'GET',
  path: '/compare',
  access: 'session',
  async handle({ api, query }) {
    const ids = query
      .getAll('report')
      .map((id) => id.trim())
      .filter((id) => id !== '')
    const distinct = [...new Set(ids)]
    if (distinct.length === 0) return choicePage(['', ''], null, 200)
    if (distinct.length === 1 && ids.length === 1) return await withPredecessor(api, distinct[0]!)
    if (distinct.length !== 2)
      return choicePage([ids[0] ?? '', ids[1] ?? ''], 'Choose two different reports.')
    const [one, other] = await Promise.all(distinct.map((id) => findReport(api, id)))
    if (one === undefined || other === undefined || one === null || other === null) {
      const missing = one === null ? distinct[0] : distinct[1]
      return choicePage([distinct[0]!, distinct[1]!], `There is no report ${visibleText(missing ?? '')}.`)
    }
    if (!areOfOneAddress(one, other))
      return choicePage(
        [distinct[0]!, distinct[1]!],
        'These are reports of two different addresses. Only reports of one address can be compared.',
      )
    const comparison = compareReports(one, other)
    return page(
      `Comparison of ${comparison.before.report_id} and ${comparison.after.report_id}`,
      <ComparisonView
        comparison={comparison}
        change={await findChange(api, comparison.before, comparison.after)}
        verdicts={[verdictOf(comparison.before), verdictOf(comparison.after)]}
      />,
      { section: '/history' },
    )
  },
}

/** A single report is compared with the one before it. */
async function withPredecessor(api: ApiClient, id: string) {
  const report = await findReport(api, id)
  if (report === null) return choicePage([id, ''], `There is no report ${visibleText(id)}.`)
  const before = await findPredecessor(api, report)
  if (before === null)
    return choicePage([id, ''], 'There is no earlier report of this address to compare it with.')
  return redirect(`/compare?report=${before.report_id}&report=${report.report_id}`)
}

async function findReport(api: ApiClient, id: string): Promise<Report | null> {
  try {
    return await api.get<Report>(`/v1/reports/${encodeURIComponent(id)}`)
  } catch (error) {
    if (error instanceof ApiProblem && error.status === NOT_FOUND) return null
    throw error
  }
}

function areOfOneAddress(one: Report, other: Report): boolean {
  if (one.address === other.address) return true
  const [a, b] = [one, other].map(({ address, chain }) => parseAddress(address, chain))
  if (a?.ok !== true || b?.ok !== true) return false
  const parts = keyParts(b.lookupKey)
  return keyParts(a.lookupKey).some((part) => parts.includes(part))
}

function choicePage([one, other]: readonly [string, string], fault: string | null, status = 400): ShownPage {
  return page(
    'Compare two reports',
    <section>
      <h1>Compare two reports of one address</h1>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      <p class="quiet">
        In the <a href="/history">history</a>, search for an address and choose two of its reports. Or enter
        their ids:
      </p>
      <form method="get" action="/compare" class="filters">
        <div>
          <label for="one">Report id</label>
          <input
            id="one"
            name="report"
            class="code"
            value={one}
            required
            autocomplete="off"
            spellcheck={false}
          />
        </div>
        <div>
          <label for="other">Other report id</label>
          <input
            id="other"
            name="report"
            class="code"
            value={other}
            required
            autocomplete="off"
            spellcheck={false}
          />
        </div>
        <div class="filter-buttons">
          <button>Compare</button>
        </div>
      </form>
    </section>,
    { section: '/history', status },
  )
}
