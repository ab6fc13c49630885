/** The form that takes the addresses of a job: pasted, dropped or chosen as a file. */
import { chains } from '@cupel/domain'
import { Form, Notice, type PageCall } from '@cupel/console'

interface BulkFormProps {
  readonly call: Pick<PageCall, 'csrf'>
  /** Why the last try led to no job. */
  readonly fault: string | null
  readonly text: string
}

export function BulkForm({ call, fault, text }: BulkFormProps) {
  return (
    <>
      <h1>Screen many addresses</h1>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      <p>
        One address a line, or a table with a column of addresses: CSV, semicolons or tabs, as spreadsheets
        save and copy it. The next page shows what was read; nothing is screened before you confirm it.
      </p>
      <Form call={call} action="/bulk/preview" isMultipart class="bulk-form">
        <label for="text">Addresses</label>
        <textarea
          id="text"
          name="text"
          rows={10}
          spellcheck={false}
          autocomplete="off"
          data-drop="file"
          placeholder={'0x098B716B8Aaf21512996dC57EB0615e2383E2f96\nbc1q…'}
          aria-describedby="text-hint"
        >
          {text}
        </textarea>
        <p id="text-hint" class="quiet">
          At most 1,000 addresses make a job; more make several.
        </p>
        <label for="file">Or a file</label>
        <input id="file" name="file" type="file" accept=".csv,.tsv,.txt,text/csv,text/plain" />
        <ChainChoice chosen="" />
        <p class="actions">
          <button>Read the addresses</button>
        </p>
      </Form>
    </>
  )
}

interface ChainChoiceProps {
  /** Code; empty where each address's chain is detected. */
  readonly chosen: string
}

export function ChainChoice({ chosen }: ChainChoiceProps) {
  return (
    <>
      <label for="chain">Chain</label>
      <select id="chain" name="chain">
        <option value="" selected={chosen === ''}>
          Detect it for each address
        </option>
        {chains.map(({ code, name }) => (
          <option key={code} value={code} selected={code === chosen}>
            {name} ({code})
          </option>
        ))}
      </select>
    </>
  )
}
