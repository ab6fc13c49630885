/** Where the money came from and went to: a picture of the largest parts, its parties in words, and a table of all parts. */
import type { ReportDocument } from '../document/index.js'
import { Amount, ScrollTable } from '@cupel/console'
import { FlowParties } from './flow-parties.js'
import { FlowPicture } from './flow-picture.js'

interface MoneyFlowProps {
  readonly flow: ReportDocument['flow']
  readonly chain: string
  /** Where one hop further is shown; null where nothing more can be read. */
  readonly expandPath: string | null
}

export function MoneyFlow({ flow, chain, expandPath }: MoneyFlowProps) {
  return (
    <section aria-labelledby="flow">
      <h2 id="flow">{flow.title}</h2>
      <p class="quiet">{flow.intro}</p>
      {flow.picture === null ? null : (
        <>
          <FlowPicture picture={flow.picture} label={flow.title} prefix="" />
          <p class="quiet flow-notes">{flow.picture.notes.join(' ')}</p>
          <FlowParties picture={flow.picture} {...{ chain, expandPath }} prefix="" />
        </>
      )}
      {flow.rows.length === 0 ? null : <FlowTable flow={flow} />}
    </section>
  )
}

function FlowTable({ flow: { title, head, rows } }: { readonly flow: ReportDocument['flow'] }) {
  return (
    <ScrollTable caption={title} head={['', ...head]}>
      {rows.map(({ direction, text, value, valueUsd, share }, index) => (
        <tr key={index}>
          <td>{direction}</td>
          <td dir="auto">{text}</td>
          <td dir="auto">
            <Amount full={value} />
          </td>
          <td>{valueUsd}</td>
          <td>{share}</td>
        </tr>
      ))}
    </ScrollTable>
  )
}
