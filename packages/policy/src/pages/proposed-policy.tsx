/** A proposed policy: POST /policy/proposals makes it, and the page of the change shows it in words. */
import {
  API_CHANGES,
  pathOfChange,
  type ChangeEffect,
  type ChangePanel,
  type ProposedChange,
} from '@cupel/gate/pages'
import { ApiProblem, fieldOf, Form, Notice, page, redirect, type Page, type ShownPage } from '@cupel/console'
import { strictJsonFault, type PolicyDocument } from '@cupel/domain'
import { visibleText } from '@cupel/reports/document'
import { changeText, meaningOf } from './policy-in-words.js'

const REFUSALS = [400, 403, 409]

export const proposePolicy: Page = {
  method: 'POST',
  path: '/policy/proposals',
  access: 'session',
  async handle({ api, form }) {
    const text = fieldOf(form, 'document')
    try {
      const doubtful = strictJsonFault(text, 'The policy')
      if (doubtful !== null) return refusedPage(`${doubtful.pointer}: ${doubtful.detail}`, 400)
      const made = await api.send<ProposedChange>('POST', API_CHANGES, {
        activate_policy: JSON.parse(text) as unknown,
        reason: fieldOf(form, 'reason').trim(),
      })
      return redirect(pathOfChange(made.change_id))
    } catch (error) {
      if (error instanceof SyntaxError) return refusedPage('The text is not JSON.', 400)
      if (!(error instanceof ApiProblem) || !REFUSALS.includes(error.status)) throw error
      return refusedPage(error.errors[0]?.detail ?? error.detail, error.status)
    }
  },
}

function refusedPage(fault: string, status: number): ShownPage {
  return page(
    'Policy',
    <>
      <h1>The policy was not proposed</h1>
      <Notice kind="fault">{fault}</Notice>
      <p>
        <a href="/policy#try">Back to the policy</a>
      </p>
    </>,
    { section: '/policy', status },
  )
}

export const policyPanel: ChangePanel = {
  kind: 'activate_policy',
  show: (call, { change, effect }) => (
    <>
      <p>Screenings of all accounts are decided by it within seconds. Reports that exist stay as they are.</p>
      {effect === undefined || effect === null ? null : (
        <Effect of={effect} document={change as unknown as PolicyDocument} />
      )}
      <Form call={call} action="/policy/what-if" class="no-print">
        <input type="hidden" name="document" value={JSON.stringify(change, null, 2)} />
        <button class="plain">Try it over the newest reports</button>
      </Form>
    </>
  ),
}

interface EffectProps {
  readonly of: ChangeEffect
  readonly document: PolicyDocument
}

function Effect({ of: { findings, settings }, document }: EffectProps) {
  return (
    <>
      {findings.map(({ path, message }) => (
        <Notice kind="hint" key={path + message}>
          <code>{visibleText(path)}</code>: {visibleText(message)}
        </Notice>
      ))}
      {settings.length === 0 ? (
        <p class="empty">It has the same settings as the policy in force.</p>
      ) : (
        <ul class="summary">
          {settings.map((setting) => (
            <li key={setting.path}>
              {changeText(setting)} <span class="quiet">{meaningOf(document, setting.path)}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
