/** The form that takes a list as a file, and the newest imports. */
import { visibleText } from '@cupel/reports/document'
import { Form, Moment, Notice, ScrollTable, type PageCall } from '@cupel/console'
import { formatTitles } from '../generated/format-titles.js'
import { pagePathOf, PART_BYTES, statusText, type ListImport } from './list-import.js'

interface ImportSectionProps {
  readonly call: PageCall
  readonly imports: readonly ListImport[]
  /** Why the last try began no import. */
  readonly fault: string | null
}

export function ImportSection({ call, imports, fault }: ImportSectionProps) {
  return (
    <section aria-labelledby="import">
      <h2 id="import">Import a list</h2>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      <p>The next page shows what would change. Nothing changes before you confirm it.</p>
      <Form call={call} action="/lists/imports" isMultipart class="narrow" id="list-import">
        <label for="list-format">Layout</label>
        <select id="list-format" name="format">
          {Object.entries(formatTitles).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
        <label for="list-dataset">Name of the list</label>
        <input
          id="list-dataset"
          name="dataset"
          required
          maxlength={200}
          autocomplete="off"
          value="sdn"
          aria-describedby="dataset-hint"
        />
        <p id="dataset-hint" class="quiet">
          A list of the same name and source is replaced.
        </p>
        <label for="list-source">Source</label>
        <input
          id="list-source"
          name="source"
          maxlength={200}
          autocomplete="off"
          aria-describedby="source-hint"
        />
        <p id="source-hint" class="quiet">
          Only where neither the layout nor its rows name one.
        </p>
        <label for="list-file">File</label>
        <input
          id="list-file"
          name="file"
          type="file"
          required
          data-upload-parts={String(PART_BYTES)}
          aria-describedby="file-hint"
        />
        <p id="file-hint" class="quiet" role="status">
          Without scripts a file has at most 2 MB.
        </p>
        <p class="actions">
          <button>See what would change</button>
        </p>
      </Form>
      <Imports items={imports} />
    </section>
  )
}

function Imports({ items }: { readonly items: readonly ListImport[] }) {
  if (items.length === 0) return null
  return (
    <>
      <h2>Imports</h2>
      <ScrollTable caption="Imports" class="stacked" head={['List', 'State', 'Sent', 'By']}>
        {items.map((one) => (
          <tr key={one.import_id}>
            <td dir="auto">
              <a href={pagePathOf(one.import_id)}>{visibleText(one.dataset)}</a>
            </td>
            <td data-head="State">{statusText(one.status)}</td>
            <td data-head="Sent">
              <Moment at={one.ordered_at} />
            </td>
            <td data-head="By">{one.confirmed_by ?? one.ordered_by}</td>
          </tr>
        ))}
      </ScrollTable>
    </>
  )
}
