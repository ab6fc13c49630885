/** What is recommended for the transfer whose counterparty a report is about. */
import type { TransferView } from '../document/index.js'
import { DataTable, FieldList } from '@cupel/console'

export function TransferSection({ transfer }: { readonly transfer: TransferView | null }) {
  if (transfer === null) return null
  const { title, headline, reasons, fields, fundsTitle, funds } = transfer
  return (
    <section aria-labelledby="transfer">
      <h2 id="transfer">{title}</h2>
      <p>
        <strong>{headline}</strong>
      </p>
      <ul class="points">
        {reasons.map(({ code, text }) => (
          <li key={code}>
            {text} <code class="quiet">{code}</code>
          </li>
        ))}
      </ul>
      <FieldList fields={fields} />
      {funds === null ? null : (
        <>
          <h3>{fundsTitle}</h3>
          <DataTable table={funds} caption={fundsTitle} />
        </>
      )}
    </section>
  )
}
