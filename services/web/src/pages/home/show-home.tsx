/** GET /: the latest reports. */
import { Level } from '../../components/level.js'
import { page, type Page } from '../../server/page.js'

interface ReportList {
  readonly items: readonly {
    readonly report_id: string
    readonly address: string
    readonly chain: string
    readonly generated_at: string
    readonly risk: { readonly level: string; readonly score: number }
  }[]
}

const LATEST_REPORTS = 20

export const showHome: Page = {
  method: 'GET',
  path: '/',
  access: 'session',
  async handle({ api }) {
    const { items } = await api.get<ReportList>('/v1/reports', { page_size: LATEST_REPORTS })
    return page(
      'Home',
      <>
        <h1>Latest reports</h1>
        {items.length === 0 ? <p class="empty">No address was screened yet.</p> : <Reports items={items} />}
      </>,
    )
  },
}

function Reports({ items }: ReportList) {
  return (
    <div class="table-scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">Level</th>
            <th scope="col">Address</th>
            <th scope="col">Chain</th>
            <th scope="col">Generated</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ report_id, address, chain, generated_at, risk }) => (
            <tr key={report_id}>
              <td>
                <Level level={risk.level} score={risk.score} />
              </td>
              <td>
                <a href={`/reports/${report_id}`}>
                  <code>{address}</code>
                </a>
              </td>
              <td>{chain}</td>
              <td>
                <time datetime={generated_at}>{generated_at.slice(0, 16).replace('T', ' ')} UTC</time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
