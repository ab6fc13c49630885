/** Entries of the inbox as a table; with the boxes of a form, if entries can be chosen. */
import { visibleText } from '@cupel/reports/document'
import { type InboxEntry, Level, Moment, ScrollTable } from '@cupel/console'
import { changeText, kindText, reasonTexts } from './entry-text.js'

interface EntryTableProps {
  readonly entries: readonly InboxEntry[]
  readonly caption: string
  /** Name of the boxes by which entries are chosen; null: there are none. */
  readonly choice: string | null
}

export function EntryTable({ entries, caption, choice }: EntryTableProps) {
  return (
    <ScrollTable
      caption={caption}
      class="inbox stacked"
      head={[choice === null ? null : 'Choose', 'Entry', 'Address', 'What changed', 'When']}
    >
      {entries.map((entry) => (
        <EntryLine key={entry.entry_id} entry={entry} choice={choice} />
      ))}
    </ScrollTable>
  )
}

function EntryLine({ entry, choice }: { readonly entry: InboxEntry } & Pick<EntryTableProps, 'choice'>) {
  const { read, kind, address, chain, reference, current, previous, at } = entry
  const change = changeText(entry)
  return (
    <tr class={read ? 'read' : 'unread'}>
      {choice === null ? null : (
        <td>
          <input
            type="checkbox"
            name={choice}
            value={choiceOf(entry)}
            aria-label={`Choose ${kindText(kind)}: ${visibleText(address)}`}
          />
        </td>
      )}
      <td>
        <span class="tag">{kindText(kind)}</span> {read ? null : <strong class="new">unread</strong>}{' '}
        {previous === null ? null : (
          <>
            <Level level={previous.level} score={previous.score} /> <span class="quiet">then</span>{' '}
          </>
        )}
        {current === null ? null : <Level level={current.level} score={current.score} />}
      </td>
      <td class="address">
        <a href={targetOf(entry)}>
          <code>{visibleText(address)}</code>
        </a>{' '}
        <span class="tag">{visibleText(chain)}</span>
        {reference === null ? null : <div dir="auto">{visibleText(reference)}</div>}
      </td>
      <td data-head="What changed">
        {change === null ? null : <strong>{change}</strong>}
        {reasonTexts(entry).map((text) => (
          <div key={text} dir="auto">
            {text}
          </div>
        ))}
        {previous === null || current === null ? null : (
          <a href={`/compare?report=${previous.report_id}&report=${current.report_id}`}>
            Compare both reports
          </a>
        )}
      </td>
      <td data-head="When">
        <Moment at={at} />
      </td>
    </tr>
  )
}

/** An entry and its report, if there is one, as the value of a box. */
export const choiceOf = ({ entry_id, report_id }: InboxEntry): string => `${entry_id} ${report_id ?? ''}`

/** A proposal is decided in the panel of its case; a failing watch has no report of its own. */
function targetOf({ kind, report_id }: InboxEntry): string {
  if (report_id === null) return '/watches'
  return `/reports/${report_id}${kind === 'proposal_waiting' ? '#case' : ''}`
}
