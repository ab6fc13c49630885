/** GET /lists/imports/{import_id}: what an import would change, and its confirmation. */
import { amountText, en, nameOf, setName, visibleText } from '@cupel/reports/document'
import {
  Form,
  Moment,
  Notice,
  ScrollTable,
  page,
  type Page,
  type PageCall,
  type ShownPage,
} from '@cupel/console'
import { apiPathOf, isBusy, pagePathOf, statusText, type ListImport } from './list-import.js'

export const showImport: Page = {
  method: 'GET',
  path: '/lists/imports/{import_id}',
  access: 'session',
  handle: (call) => importPage(call, { fault: null, status: 200 }),
}

/** While the file is read the browser asks again. */
const REFRESH = { refresh: '2' }

export async function importPage(
  call: PageCall,
  { fault, status }: { readonly fault: string | null; readonly status: number },
): Promise<ShownPage> {
  const one = await call.api.get<ListImport>(apiPathOf(call.path['import_id']))
  const title = `Import of ${one.dataset}`
  const body = (
    <>
      <p>
        <a href="/lists">All lists</a>
      </p>
      <h1 dir="auto">{visibleText(title)}</h1>
      <p role="status">
        {statusText(one.status)} · {amountText(String(one.bytes))} bytes, sent <Moment at={one.ordered_at} />{' '}
        by {one.ordered_by}
        {one.confirmed_by === null ? null : `, confirmed by ${one.confirmed_by}`}
      </p>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {one.result === null ? null : <Result of={one} />}
      {isUnusable(one) ? (
        <p>
          Nothing of the file can be imported. <a href="/lists#import">Choose another file or layout</a>.
        </p>
      ) : ['checked', 'refused', 'failed'].includes(one.status) ? (
        <Confirmation call={call} of={one} />
      ) : null}
    </>
  )
  return page(title, body, { status, section: '/lists', headers: isBusy(one) ? REFRESH : {} })
}

function Result({ of: { status, result } }: { readonly of: ListImport }) {
  const { sets, lost, lost_count: lostCount, warnings, detail } = result!
  return (
    <>
      {detail === null ? null : <Notice kind="fault">{detail}</Notice>}
      {status === 'imported' ? (
        <Notice kind="done">
          The list is in force. <a href="/">Screen an address again</a>.
        </Notice>
      ) : null}
      {warnings.map((warning) => (
        <Notice key={warning} kind="hint">
          {warning}.
        </Notice>
      ))}
      {sets.length === 0 ? null : (
        <ScrollTable
          caption={status === 'imported' ? 'What changed' : 'What would change'}
          class="stacked"
          head={[
            'List',
            'Dated',
            'Imported',
            { number: 'Added' },
            { number: 'Changed' },
            { number: 'Unchanged' },
            { number: 'Ended' },
            { number: 'Labels' },
          ]}
        >
          {sets.map((set) => (
            <tr key={`${set.source}/${set.dataset}`}>
              <td dir="auto">{setName(set)}</td>
              <td data-head="Dated">
                <Moment at={set.list_date} />
              </td>
              <td data-head="Imported">{set.history_only ? 'history only' : set.whole ? 'whole' : 'part'}</td>
              {(['added', 'changed', 'unchanged', 'ended', 'labels'] as const).map((name) => (
                <td key={name} class="number" data-head={name}>
                  {amountText(String(set[name]))}
                </td>
              ))}
            </tr>
          ))}
        </ScrollTable>
      )}
      {lostCount === 0 ? null : (
        <>
          <h2>
            {lostCount === 1 ? '1 address loses' : `${amountText(String(lostCount))} addresses lose`} its
            designation
          </h2>
          <ul>
            {lost.map(({ authority, chain, address, entity }) => (
              <li key={`${authority} ${chain} ${address}`}>
                {chain} <code>{address}</code> {nameOf(en.authorities, authority)}: {visibleText(entity)}
              </li>
            ))}
          </ul>
        </>
      )}
      <LeftOut title="rows do not say whom they designate" rows={result!.unreadable} />
      <LeftOut title="rows cannot be used" rows={result!.refused} />
      <LeftOut title="entries have no address or no known category" rows={result!.skipped} />
    </>
  )
}

interface LeftOutProps {
  readonly title: string
  readonly rows: NonNullable<ListImport['result']>['refused']
}

function LeftOut({ title, rows: { count, rows } }: LeftOutProps) {
  if (count === 0) return null
  return (
    <details>
      <summary>
        {amountText(String(count))} {title}
      </summary>
      <ul>
        {rows.map(({ line, reason }) => (
          <li key={line}>
            Line {line}: {visibleText(reason)}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Refused as a whole: it has no list, and nothing in it that a person could accept. */
const isUnusable = ({ status, result }: ListImport): boolean =>
  status === 'refused' &&
  result !== null &&
  result.sets.length === 0 &&
  result.removals === null &&
  result.unreadable.count === 0

/** What a person accepts is ticked by the person, with a reason. */
function Confirmation({ call, of: one }: { readonly call: PageCall; readonly of: ListImport }) {
  const { removals, unreadable } = one.result!
  return (
    <section aria-labelledby="confirm">
      <h2 id="confirm">Confirm the import</h2>
      <Form call={call} action={pagePathOf(one.import_id, '/confirm')} class="narrow">
        {removals === null ? null : (
          <label class="check">
            <input type="checkbox" name="accept_removals" value={String(removals)} /> It is right that{' '}
            {amountText(String(removals))} labels or designations end
          </label>
        )}
        {unreadable.count === 0 ? null : (
          <label class="check">
            <input type="checkbox" name="accept_unreadable" value={String(unreadable.count)} /> I looked at
            each of the {amountText(String(unreadable.count))} unreadable rows
          </label>
        )}
        <label for="reason">Why</label>
        <input id="reason" name="reason" maxlength={500} autocomplete="off" aria-describedby="reason-hint" />
        <p id="reason-hint" class="quiet">
          An acceptance needs a reason, which the log keeps with your key.
        </p>
        <p class="actions">
          <button>Import the list</button>
        </p>
      </Form>
      {one.status === 'checked' ? null : (
        <Form call={call} action={pagePathOf(one.import_id, '/check')}>
          <button class="plain">See again what would change</button>
        </Form>
      )}
    </section>
  )
}
