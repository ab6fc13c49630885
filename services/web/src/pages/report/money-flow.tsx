/** Where the money came from and went to: a picture of the largest parts, and a table of all parts. */
import type { ReportDocument } from '@cupel/report-document'
import { DataTable } from '../../components/data-table.js'
import { FlowPicture } from './flow-picture.js'

export function MoneyFlow({ flow }: { readonly flow: ReportDocument['flow'] }) {
  return (
    <section aria-labelledby="flow">
      <h2 id="flow">{flow.title}</h2>
      <p class="quiet">{flow.intro}</p>
      {flow.picture === null ? null : <FlowPicture picture={flow.picture} label={flow.title} />}
      {flow.rows.length === 0 ? null : (
        <DataTable
          caption={flow.title}
          table={{
            head: ['', ...flow.head],
            rows: flow.rows.map(({ direction, text, value, valueUsd, share }) => [
              ...[direction, text, value, valueUsd, share],
            ]),
          }}
        />
      )}
    </section>
  )
}
