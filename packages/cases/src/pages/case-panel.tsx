/** The notes and decisions of people about a report, and the forms to continue. */
import { dispositions, type ReportCase } from '@cupel/contracts'
import { caseDocument, dispositionText } from '@cupel/reports/document'
import { FieldList, Form, Notice, type PageCall, mayChange } from '@cupel/console'

/** The text that a person had typed when the change was refused. */
export interface CaseDraft {
  readonly fault: string
  readonly note: string
  readonly reason: string
  readonly disposition: string
}

interface CasePanelProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  /** Null where it could not be read. */
  readonly reportCase: ReportCase | null
  readonly draft?: CaseDraft
  /** Whether it stands on the page of the case itself, to which its forms lead back. */
  readonly isWhole?: boolean
}

/** As the API limits it. */
const MAX_TEXT_LENGTH = 2_000

export function CasePanel({ call, reportCase, draft, isWhole = false }: CasePanelProps) {
  if (reportCase === null)
    return (
      <section aria-labelledby="case" class="panel">
        <h2 id="case">Case</h2>
        <Notice kind="fault">The case cannot be read right now. Load the page again in a moment.</Notice>
      </section>
    )
  const { title, intro, fields, pending, historyTitle, entries, none } = caseDocument(reportCase)
  return (
    <section aria-labelledby="case" class="panel">
      <h2 id="case">{title}</h2>
      <p class="quiet">{intro}</p>
      {draft === undefined ? null : <Notice kind="fault">{draft.fault}</Notice>}
      <FieldList fields={fields} />
      {reportCase.is_overdue === true ? (
        <Notice kind="fault">
          <strong class="overdue">This case is overdue since {reportCase.due_on}.</strong>
        </Notice>
      ) : null}
      {isWhole ? null : (
        <p class="no-print">
          <a href={`/cases/${reportCase.report_id}`}>Assignment, files and dossier of this case</a>
        </p>
      )}
      {pending === null ? null : <Notice kind="hint">{pending}</Notice>}
      {entries.length === 0 ? (
        <p class="empty">{none}</p>
      ) : (
        <>
          <h3>{historyTitle}</h3>
          <ol class="entries">
            {entries.map(({ head, lines }) => (
              <li key={head}>
                <p class="quiet">{head}</p>
                <p dir="auto" class="entry-text">
                  {lines.join('\n')}
                </p>
              </li>
            ))}
          </ol>
          <p class="no-print">
            <a href={`/reports/${reportCase.report_id}/pdf?appendix=case`} download>
              PDF with this case
            </a>{' '}
            <a href={`/reports/${reportCase.report_id}/case-proof`} download>
              Proof of this case
            </a>
          </p>
        </>
      )}
      {mayChange(call.session) ? <CaseForms {...{ call, reportCase, draft, isWhole }} /> : null}
    </section>
  )
}

interface CaseFormsProps {
  readonly call: Pick<PageCall, 'csrf'>
  readonly reportCase: ReportCase
  readonly draft: CaseDraft | undefined
  readonly isWhole: boolean
}

function CaseForms({ call, reportCase, draft, isWhole }: CaseFormsProps) {
  const { report_id, version, disposition, proposal, needs_second_person } = reportCase
  const base = `/reports/${report_id}`
  const chosen = draft?.disposition ?? ''
  // The proposer cannot confirm the proposal; the API would refuse that.
  const isOffered = (one: string): boolean => one !== proposal?.disposition || proposal.may_confirm !== false
  return (
    <div class="case-forms no-print">
      <Form call={call} action={`${base}/notes`}>
        <Back isWhole={isWhole} />
        <label for="note">Note</label>
        <textarea id="note" name="text" rows={4} required maxlength={MAX_TEXT_LENGTH}>
          {draft?.note ?? ''}
        </textarea>
        <button>Add the note</button>
      </Form>
      <Form call={call} action={`${base}/disposition`}>
        <Back isWhole={isWhole} />
        <input type="hidden" name="version" value={version} />
        <label for="disposition">
          {proposal === null ? 'Disposition' : 'Confirm or refuse the proposal'}
        </label>
        <select id="disposition" name="disposition" required>
          {/* A second person decides: nothing is chosen in advance. */}
          {proposal === null || chosen !== '' ? null : (
            <option value="" selected>
              Choose
            </option>
          )}
          {dispositions.filter(isOffered).map((one) => (
            <option key={one} value={one} selected={one === chosen}>
              {choiceText(one, { disposition, proposal })}
            </option>
          ))}
        </select>
        {needs_second_person ? (
          <p class="quiet">Another person must confirm that this report is cleared.</p>
        ) : null}
        <label for="reason">Reason</label>
        <textarea id="reason" name="reason" rows={3} required maxlength={MAX_TEXT_LENGTH}>
          {draft?.reason ?? ''}
        </textarea>
        <button>Decide</button>
      </Form>
    </div>
  )
}

const Back = ({ isWhole }: { readonly isWhole: boolean }) =>
  isWhole ? <input type="hidden" name="back" value="case" /> : null

function choiceText(
  one: string,
  { disposition, proposal }: Pick<ReportCase, 'disposition' | 'proposal'>,
): string {
  const word = dispositionText(one)
  if (proposal !== null && one === proposal.disposition) return `${word}: confirm the proposal`
  if (proposal !== null && one === disposition) return `${word}: decline the proposal`
  return one === disposition ? `${word} (as it is)` : word
}
