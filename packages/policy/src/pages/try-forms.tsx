/** The forms that try another policy: some numbers, or a whole document. */
import type { PolicyDocument } from '@cupel/domain'
import { Form, Notice, type PageCall, mayChange } from '@cupel/console'
import { numberAt, settingName, simpleSettings } from './policy-settings.js'

export interface TryState {
  /** The entered values, by setting. */
  readonly numbers: ReadonlyMap<string, string>
  readonly text: string | null
  readonly maxReports: string
  /** Why the last try did not succeed. */
  readonly faults: readonly string[]
}

interface TryFormsProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly document: PolicyDocument
  /** Null where nothing was tried yet. */
  readonly state: TryState | null
}

export const DEFAULT_REPORTS = 200
export const MAX_REPORTS = 500

export function TryForms({ call, document, state }: TryFormsProps) {
  const isReader = !mayChange(call.session)
  return (
    <section id="try" aria-labelledby="try-title" class="no-print">
      <h2 id="try-title">What if the numbers were others?</h2>
      <p class="quiet">
        The newest reports of the account are decided again from what was recorded with them, and their levels
        are compared. Nothing is changed: no report, and no policy. An operator puts a policy in force.
      </p>
      {state === null || state.faults.length === 0 ? null : (
        <Notice kind="fault">
          <ul>
            {state.faults.map((fault) => (
              <li key={fault}>{fault}</li>
            ))}
          </ul>
        </Notice>
      )}
      {isReader ? (
        <Notice kind="hint">This key reads. Sign in with a read-write key to try a policy.</Notice>
      ) : (
        <>
          <NumbersForm {...{ call, document, state }} />
          <details open={state !== null && state.text !== null}>
            <summary>Try a whole policy document</summary>
            <Form call={call} action="/policy/what-if">
              <label for="document">Policy as JSON</label>
              <textarea id="document" name="document" rows={16} class="code" spellcheck={false}>
                {state?.text ?? JSON.stringify(document, null, 2)}
              </textarea>
              <ReportCount id="reports-of-document" state={state} />
              <p>
                <button>Try this document</button>
              </p>
            </Form>
          </details>
        </>
      )}
    </section>
  )
}

function NumbersForm({ call, document, state }: TryFormsProps) {
  return (
    <Form call={call} action="/policy/what-if" class="numbers">
      <div class="filters">
        {simpleSettings.map((path) => {
          const current = numberAt(document, path)
          if (current === null) return null
          const id = `set-${path.replaceAll('.', '-')}`
          return (
            <div key={path}>
              <label for={id}>{settingName(path)}</label>
              <input
                id={id}
                name={path}
                inputmode="decimal"
                required
                autocomplete="off"
                value={state?.numbers.get(path) ?? String(current)}
                aria-describedby={`${id}-now`}
              />
              <span id={`${id}-now`} class="quiet">
                now {current}
              </span>
            </div>
          )
        })}
      </div>
      <ReportCount id="reports-of-numbers" state={state} />
      <p>
        <button>Try these numbers</button>
      </p>
    </Form>
  )
}

function ReportCount({ id, state }: { readonly id: string; readonly state: TryState | null }) {
  return (
    <div class="report-count">
      <label for={id}>Newest reports to decide again, at most {MAX_REPORTS}</label>
      <input
        id={id}
        name="max_reports"
        type="number"
        min={1}
        max={MAX_REPORTS}
        value={state?.maxReports ?? String(DEFAULT_REPORTS)}
      />
    </div>
  )
}
