/** One item of evidence: its headline, followed by the facts, the counterparties and the path of the value. */
import type { EvidenceView } from '../document/index.js'
import { DataTable, FieldList } from '@cupel/console'

interface EvidenceItemProps {
  readonly item: EvidenceView
  readonly isOpen: boolean
}

export function EvidenceItem({ item, isOpen }: EvidenceItemProps) {
  const { id, headline, categoryWord, points, isDecisive, notCountedBecause, fields, counterparties, steps } =
    item
  return (
    <details class="evidence" open={isOpen}>
      <summary>
        <span class="tag">{categoryWord}</span>
        <span class="evidence-headline">{headline}</span>
        <span class="evidence-points">
          {notCountedBecause === null ? points : null}
          {isDecisive ? <strong> decisive</strong> : null}
        </span>
      </summary>
      {notCountedBecause === null ? null : <p>{notCountedBecause}</p>}
      <FieldList fields={fields} />
      {counterparties === null ? null : (
        <DataTable table={counterparties} caption={`Counterparties: ${headline}`} />
      )}
      {steps === null ? null : (
        <div id={id} tabindex={-1}>
          <DataTable table={steps} caption={`Transfers: ${headline}`} />
        </div>
      )}
    </details>
  )
}
