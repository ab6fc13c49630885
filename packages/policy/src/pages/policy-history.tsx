/** For operators: what was proposed, and which policies were in force. */
import {
  changeStatusText,
  changeTitle,
  pathOfChange,
  personText,
  type ProposedChange,
} from '@cupel/gate/pages'
import { visibleText } from '@cupel/reports/document'
import { Form, Moment, ScrollTable, type PageCall } from '@cupel/console'
import type { PolicyActivation } from './policy-in-words.js'

export function PolicyHistory({
  proposals,
  activations,
}: {
  readonly proposals: readonly ProposedChange[]
  readonly activations: readonly PolicyActivation[]
}) {
  return (
    <>
      {proposals.length === 0 ? null : (
        <>
          <h2>Proposals</h2>
          <ScrollTable
            caption="Proposals"
            class="stacked"
            head={['Policy', 'State', 'Proposed', 'By', 'Why']}
          >
            {proposals.map((one) => (
              <tr key={one.change_id}>
                <td dir="auto">
                  <a href={pathOfChange(one.change_id)}>{changeTitle(one)}</a>
                </td>
                <td data-head="State">It {changeStatusText(one.status)}.</td>
                <td data-head="Proposed">
                  <Moment at={one.proposed_at} />
                </td>
                <td data-head="By" dir="auto">
                  {personText(one.proposed_by)}
                </td>
                <td data-head="Why" dir="auto">
                  {visibleText(one.reason)}
                </td>
              </tr>
            ))}
          </ScrollTable>
        </>
      )}
      <h2>History</h2>
      <ScrollTable
        caption="Policies that were in force"
        class="stacked"
        head={['Policy', 'In force since', 'By', 'Why']}
      >
        {activations.map((one) => (
          <tr key={one.policy.sha256 + one.activated_at}>
            <td dir="auto">{visibleText(`${one.policy.id} ${one.policy.version}`)}</td>
            <td data-head="In force since">
              <Moment at={one.activated_at} />
            </td>
            <td data-head="By" dir="auto">
              {visibleText(one.activated_by)}
            </td>
            <td data-head="Why" dir="auto">
              {visibleText(one.reason)}
            </td>
          </tr>
        ))}
      </ScrollTable>
    </>
  )
}

/** Proposes the policy that was just tried. */
export function ProposeForm({
  call,
  text,
}: {
  readonly call: Pick<PageCall, 'csrf'>
  readonly text: string
}) {
  return (
    <section aria-labelledby="propose-title" class="no-print">
      <h2 id="propose-title">Propose this policy</h2>
      <p class="quiet">It decides nothing before somebody puts it in force, on the page that comes next.</p>
      <Form call={call} action="/policy/proposals">
        <input type="hidden" name="document" value={text} />
        <label for="reason">Why</label>
        <input id="reason" name="reason" required maxlength={400} />
        <p>
          <button>Propose it</button>
        </p>
      </Form>
    </section>
  )
}
