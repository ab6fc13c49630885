/** The imports of the ledger, newest first. */
import { visibleText } from '@cupel/reports/document'
import { Moment, Pager, ScrollTable } from '@cupel/console'
import type { LedgerImport } from './ledger-answer.js'
import { number } from './ledger-words.js'

interface ImportTableProps {
  readonly query: URLSearchParams
  readonly items: readonly LedgerImport[]
  readonly next: string | null
}

export function ImportTable({ query, items, next }: ImportTableProps) {
  return (
    <>
      <h2>Imports</h2>
      {items.length === 0 ? (
        <p class="empty">No file was imported yet.</p>
      ) : (
        <ScrollTable
          caption="Imports of the ledger"
          class="stacked"
          head={[
            'State',
            'Chain',
            'File',
            'Declares',
            { number: 'Rows' },
            { number: 'Added' },
            'Left out',
            'Imported',
            'By',
          ]}
        >
          {items.map((one) => (
            <Row key={one.import_id} one={one} />
          ))}
        </ScrollTable>
      )}
      <Pager path="/ledger" query={query} next={next} />
    </>
  )
}

function Row({ one }: { readonly one: LedgerImport }) {
  return (
    <tr>
      <td>
        <State one={one} />
      </td>
      <td data-head="Chain">{visibleText(one.chain)}</td>
      <td data-head="File" dir="auto">
        {visibleText(one.file_name)} <span class="tag">{visibleText(one.format)}</span>
      </td>
      <td data-head="Declares">{declaresText(one)}</td>
      <td class="number" data-head="Rows">
        {number(one.rows)}
      </td>
      <td class="number" data-head="Added">
        {number(one.added)}
      </td>
      <td data-head="Left out">
        {one.left_out.length === 0
          ? 'none'
          : one.left_out
              .map(({ reason, rows }) => `${visibleText(reason).replaceAll('_', ' ')} ${number(rows)}`)
              .join(', ')}
      </td>
      <td data-head="Imported">
        {one.imported_at === null ? (
          <>
            begun <Moment at={one.started_at} />
          </>
        ) : (
          <Moment at={one.imported_at} />
        )}
      </td>
      <td data-head="By" dir="auto">
        {visibleText(one.imported_by)}
      </td>
    </tr>
  )
}

/** Only the word `imported` is good news, and only a running import is not a fault. */
function State({ one: { state, ledger_seq: seq, rows } }: { readonly one: LedgerImport }) {
  if (state === 'imported')
    return (
      <span class="list-state list-state-good">
        <span class="sign" aria-hidden="true">
          ✓
        </span>{' '}
        {seq === null ? 'imported' : `number ${number(seq)}`}
      </span>
    )
  const isRunning = state === 'importing'
  return (
    <span class={`list-state list-state-${isRunning ? 'other' : 'bad'}`}>
      <span class="sign" aria-hidden="true">
        {isRunning ? '…' : '!'}
      </span>{' '}
      {isRunning ? `${number(rows)} rows so far` : visibleText(state)}
    </span>
  )
}

function declaresText({ covers, complete_from: from, complete_to: to }: LedgerImport): string {
  if (from === null || to === null) return 'no range'
  return `${covers.map(visibleText).join(', ')} of ${number(from)}–${number(to)}`
}
