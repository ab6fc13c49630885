/** The page between a file and its job: the column to screen, the faults by line, and the button that submits. */
import { MAX_BULK_ITEMS } from '@cupel/domain'
import { visibleText } from '@cupel/reports/document'
import { Form, Notice, ScrollTable, type PageCall } from '@cupel/console'
import { MAX_ADDRESSES, MAX_JOBS, type Choice, type Reading, type Refused } from './address-choice.js'
import type { AddressFile } from './address-file.js'
import { ChainChoice } from './bulk-form.js'
import { countText, plural } from './counts.js'
import type { ReadBulkForm } from './read-bulk-form.js'

interface PreviewProps {
  readonly call: Pick<PageCall, 'csrf'>
  readonly read: ReadBulkForm
  readonly fault: string | null
  readonly work: string
  readonly leaveOut: boolean
  readonly name: string
  readonly canSubmit: boolean
}

/** Of a job, as typed; a part of a long file gets its number behind it. */
export const MAX_NAME_LENGTH = 80

export function Preview({ call, read, fault, work, leaveOut, name, canSubmit }: PreviewProps) {
  const { file, choice, openColumns, reading } = read
  return (
    <>
      <h1>Check what was read</h1>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {openColumns.length > 0 ? (
        <Notice kind="hint">
          {openColumns.length} columns have addresses. Choose the one to screen below, and read it again.
        </Notice>
      ) : (
        <Verdict reading={reading} canSubmit={canSubmit} />
      )}
      <Form call={call} action="/bulk" isMultipart>
        <textarea name="text" hidden readonly>
          {/* A form drops the first line break of such a field. */}
          {`\n${read.text}`}
        </textarea>
        <input type="hidden" name="work" value={work} />
        {reading.refused.length === 0 ? null : (
          <LeaveOut count={reading.refused.length} isChecked={leaveOut} />
        )}
        {openColumns.length > 0 ? (
          <input type="hidden" name="name" value={name} />
        ) : (
          <>
            <label for="name">Name of the job</label>
            <input id="name" name="name" value={name} maxlength={MAX_NAME_LENGTH} autocomplete="off" />
          </>
        )}
        <p class="actions">
          {canSubmit && isSubmittable(reading) ? <button>{submitText(reading)}</button> : null}
          <button class="plain" formaction="/bulk/preview">
            Read it again
          </button>
          <a class="button plain" href="/bulk/new">
            Start over
          </a>
        </p>
        {read.isList ? null : (
          <>
            <h2>Which column has the addresses?</h2>
            <Columns
              file={file}
              column={openColumns.length > 0 ? null : choice.column}
              hasHeader={choice.hasHeader}
            />
            <ReferenceColumn file={file} choice={choice} />
            <label class="below">
              <input type="checkbox" name="header" value="yes" checked={choice.hasHeader} /> The first row
              names the columns
            </label>
          </>
        )}
        <ChainChoice chosen={choice.chain ?? ''} />
        <p class="quiet">
          After a change of column, reference, first row or chain, read it again to see what it means.
        </p>
      </Form>
      <Findings file={file} reading={reading} />
    </>
  )
}

const isSubmittable = ({ addresses }: Reading): boolean =>
  addresses.length > 0 && addresses.length <= MAX_ADDRESSES

function submitText({ addresses }: Reading): string {
  const jobs = Math.ceil(addresses.length / MAX_BULK_ITEMS)
  const what = plural(addresses.length, 'address', 'addresses')
  return jobs === 1 ? `Screen ${what}` : `Screen ${what} in ${jobs} jobs`
}

function Verdict({ reading, canSubmit }: { readonly reading: Reading; readonly canSubmit: boolean }) {
  const { addresses, refused } = reading
  if (addresses.length === 0)
    return <Notice kind="fault">This column has no addresses. Choose another one, or start over.</Notice>
  if (addresses.length > MAX_ADDRESSES)
    return (
      <Notice kind="fault">
        {countText(addresses.length)} addresses were read. One upload takes at most {countText(MAX_ADDRESSES)}
        : {MAX_JOBS} jobs of {countText(MAX_BULK_ITEMS)}. Split the file.
      </Notice>
    )
  return (
    <>
      <p class="lead">
        <strong>{plural(addresses.length, 'address', 'addresses')}</strong> in this column
        {refused.length === 0 ? '.' : `, ${countText(refused.length)} of them no valid address.`}
      </p>
      {addresses.length > MAX_BULK_ITEMS ? (
        <Notice kind="hint">
          A job takes at most {countText(MAX_BULK_ITEMS)} addresses, so these become{' '}
          {Math.ceil(addresses.length / MAX_BULK_ITEMS)} jobs, in the order of the lines.
        </Notice>
      ) : null}
      {canSubmit ? null : (
        <Notice kind="hint">Your session is read-only: it can check a file but not screen it.</Notice>
      )}
    </>
  )
}

function LeaveOut({ count, isChecked }: { readonly count: number; readonly isChecked: boolean }) {
  return (
    <p>
      <label class="inline">
        <input type="checkbox" name="leave-out" value="yes" checked={isChecked} /> Leave out{' '}
        {plural(count, 'line that is', 'lines that are')} no valid address
      </label>
      <br />
      <span class="quiet">Otherwise each becomes a failed item of the job, so that nothing gets lost.</span>
    </p>
  )
}

/** Rows and columns of a file that are shown. */
const SHOWN_ROWS = 8
const SHOWN_COLUMNS = 12
const SHOWN_CHARACTERS = 80

interface ColumnsProps {
  readonly file: AddressFile
  /** Null: none is chosen yet. */
  readonly column: number | null
  readonly hasHeader: boolean
}

function Columns({ file, column, hasHeader }: ColumnsProps) {
  const columns = Array.from({ length: Math.min(file.width, SHOWN_COLUMNS) }, (_, index) => index)
  if (column !== null && column >= columns.length) columns.push(column)
  const nameOf = (index: number): string => columnName(file, hasHeader, index)
  const rows = file.rows.slice(hasHeader ? 1 : 0).slice(0, SHOWN_ROWS)
  return (
    <div class="table-scroll" role="group" aria-label="The first rows of the file" tabindex={0}>
      <table class="preview">
        <thead>
          <tr>
            <th scope="col">Line</th>
            {columns.map((index) => (
              <th key={index} scope="col" class={index === column ? 'chosen' : undefined}>
                <label class="inline" dir="auto">
                  <input type="radio" name="column" value={index} checked={index === column} />{' '}
                  {nameOf(index)}
                </label>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ line, cells }) => (
            <tr key={line}>
              <td class="quiet">{line}</td>
              {columns.map((index) => (
                <td key={index} dir="auto" class={index === column ? 'chosen' : undefined}>
                  <code>{short(cells[index] ?? '')}</code>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {file.width > SHOWN_COLUMNS ? (
        <p class="quiet">
          {plural(file.width - SHOWN_COLUMNS, 'further column is', 'further columns are')} not shown.
        </p>
      ) : null}
    </div>
  )
}

/** A reference joins each result back to a row of the person's own. */
function ReferenceColumn({ file, choice }: { readonly file: AddressFile; readonly choice: Choice }) {
  if (file.width < 2) return null
  return (
    <>
      <label for="reference-column">Which column has your references?</label>
      <select id="reference-column" name="reference-column">
        <option value="" selected={choice.referenceColumn === null}>
          None
        </option>
        {Array.from({ length: file.width }, (_, index) => (
          <option key={index} value={index} selected={index === choice.referenceColumn}>
            {columnName(file, choice.hasHeader, index)}
          </option>
        ))}
      </select>
      <p class="quiet">Results and reports have it, and a search for it finds them.</p>
    </>
  )
}

const columnName = (file: AddressFile, hasHeader: boolean, index: number): string =>
  (hasHeader && short(file.rows[0]?.cells[index] ?? '')) || `Column ${index + 1}`

function Findings({ file, reading }: { readonly file: AddressFile; readonly reading: Reading }) {
  const { refused, unusable, repeats, emptyRows } = reading
  return (
    <>
      <Lines title="No valid address" intro="These fail when they are screened." lines={refused} />
      <Lines title="Left out" intro="No job takes these lines." lines={unusable} />
      <Lines
        title="Repeats"
        intro="Letter by letter the same as an earlier line, with the same reference. Each keeps its place and shares that report."
        lines={repeats.map((one) => ({ ...one, detail: '' }))}
      />
      {emptyRows === 0 && file.openQuoteLine === null ? null : (
        <ul class="quiet">
          {emptyRows === 0 ? null : (
            <li>{plural(emptyRows, 'row has', 'rows have')} nothing in this column and are skipped.</li>
          )}
          {file.openQuoteLine === null ? null : (
            <li>
              A quotation mark before line {file.openQuoteLine} is never closed. Quotation marks are taken as
              they are.
            </li>
          )}
        </ul>
      )}
    </>
  )
}

/** Lines of one kind that are shown. */
const SHOWN_LINES = 50

interface LinesProps {
  readonly title: string
  readonly intro: string
  readonly lines: readonly Refused[]
}

function Lines({ title, intro, lines }: LinesProps) {
  if (lines.length === 0) return null
  const hasDetail = lines.some(({ detail }) => detail !== '')
  return (
    <section aria-label={title}>
      <h2>
        {title}: {plural(lines.length, 'line', 'lines')}
      </h2>
      <p class="quiet">{intro}</p>
      <ScrollTable caption={`Lines: ${title}`} head={['Line', 'Text', hasDetail ? 'What is wrong' : null]}>
        {lines.slice(0, SHOWN_LINES).map(({ line, text, detail }, index) => (
          <tr key={index}>
            <td>{line}</td>
            <td dir="auto">
              <code>{short(text)}</code>
            </td>
            {hasDetail ? <td>{detail}</td> : null}
          </tr>
        ))}
      </ScrollTable>
      {lines.length > SHOWN_LINES ? (
        <p class="quiet">And {countText(lines.length - SHOWN_LINES)} more.</p>
      ) : null}
    </section>
  )
}

function short(text: string): string {
  const characters = [...visibleText(text)]
  return characters.length > SHOWN_CHARACTERS
    ? `${characters.slice(0, SHOWN_CHARACTERS).join('')}…`
    : characters.join('')
}
