/** GET /policy/proposals/{proposal_id}, POST /policy/proposals and POST …/activate: a proposed policy, and how it comes into force. */
import { strictJsonFault } from '@cupel/domain'
import { visibleText } from '@cupel/reports/document'
import {
  ApiProblem,
  fieldOf,
  Form,
  Moment,
  Notice,
  page,
  redirect,
  type Page,
  type PageCall,
  type ShownPage,
} from '@cupel/console'
import {
  API_PROPOSALS,
  apiPathOfProposal,
  changeText,
  meaningOf,
  pathOfProposal,
  statusText,
  type PolicyProposal,
} from './policy-proposal.js'

const REFUSALS = [400, 403, 409]

export const showProposal: Page = {
  method: 'GET',
  path: '/policy/proposals/{proposal_id}',
  access: 'session',
  handle: (call) => proposalPage(call, { fault: null, status: 200 }),
}

export const proposePolicy: Page = {
  method: 'POST',
  path: '/policy/proposals',
  access: 'session',
  async handle({ api, form }) {
    const text = fieldOf(form, 'document')
    try {
      const doubtful = strictJsonFault(text, 'The policy')
      if (doubtful !== null) return refusedPage(`${doubtful.pointer}: ${doubtful.detail}`, 400)
      const made = await api.send<PolicyProposal>('POST', API_PROPOSALS, {
        policy: JSON.parse(text) as unknown,
        reason: fieldOf(form, 'reason'),
      })
      return redirect(pathOfProposal(made.proposal_id))
    } catch (error) {
      if (error instanceof SyntaxError) return refusedPage('The text is not JSON.', 400)
      if (!(error instanceof ApiProblem) || !REFUSALS.includes(error.status)) throw error
      return refusedPage(error.errors[0]?.detail ?? error.detail, error.status)
    }
  },
}

export const activateProposal: Page = {
  method: 'POST',
  path: '/policy/proposals/{proposal_id}/activate',
  access: 'session',
  async handle(call) {
    const id = call.path['proposal_id'] ?? ''
    if (fieldOf(call.form, 'read') === '')
      return await proposalPage(call, { fault: 'Say that you have read what it changes.', status: 400 })
    try {
      await call.api.send('POST', apiPathOfProposal(id, '/activate'))
      return redirect(pathOfProposal(id))
    } catch (error) {
      if (!(error instanceof ApiProblem) || !REFUSALS.includes(error.status)) throw error
      return await proposalPage(call, { fault: error.detail, status: error.status })
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

async function proposalPage(
  call: PageCall,
  { fault, status }: { readonly fault: string | null; readonly status: number },
): Promise<ShownPage> {
  const proposal = await call.api.get<PolicyProposal>(apiPathOfProposal(call.path['proposal_id'] ?? ''), {})
  const { policy, findings } = proposal
  const title = `Proposal of ${policy.id} ${policy.version}`
  const body = (
    <>
      <p>
        <a href="/policy">The policy in force</a>
      </p>
      <h1 dir="auto">{visibleText(title)}</h1>
      <p role="status">
        It {statusText(proposal.status)}. Proposed <Moment at={proposal.proposed_at} /> by{' '}
        <bdi>{visibleText(proposal.proposed_by.person ?? `key ${proposal.proposed_by.key_id}`)}</bdi>
        {proposal.status === 'open' ? (
          <>
            ; it expires <Moment at={proposal.expires_at} />
          </>
        ) : null}
        .
      </p>
      <p dir="auto">{visibleText(proposal.reason)}</p>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {findings.map(({ path, message }) => (
        <Notice kind="hint" key={path + message}>
          <code>{visibleText(path)}</code>: {visibleText(message)}
        </Notice>
      ))}
      <Changes proposal={proposal} />
      <Form call={call} action="/policy/what-if" class="no-print">
        <input type="hidden" name="document" value={JSON.stringify(proposal.document, null, 2)} />
        <button class="plain">Try it over the newest reports</button>
      </Form>
      <Activation call={call} proposal={proposal} />
    </>
  )
  return page(title, body, { status, section: '/policy' })
}

function Changes({ proposal: { settings, document, status } }: { readonly proposal: PolicyProposal }) {
  if (status === 'in_force') return <p class="quiet">The policy in force is this one.</p>
  return (
    <>
      <h2>What it changes</h2>
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

function Activation({ call, proposal }: { readonly call: PageCall; readonly proposal: PolicyProposal }) {
  const { status, may_activate: mayActivate, needs_second_person: needsSecond, proposal_id: id } = proposal
  if (status !== 'open') return null
  if (!mayActivate)
    return (
      <Notice kind="hint">
        {needsSecond
          ? 'Another person than the one who proposed it puts it in force.'
          : 'You cannot put it in force.'}
      </Notice>
    )
  return (
    <section aria-labelledby="activate-title" class="no-print">
      <h2 id="activate-title">Put it in force</h2>
      <p>Screenings of all accounts are decided by it within seconds. Reports that exist stay as they are.</p>
      <Form call={call} action={`${pathOfProposal(id)}/activate`}>
        <p>
          <label>
            <input type="checkbox" name="read" required /> I have read what it changes
          </label>
        </p>
        <button>Put the policy in force</button>
      </Form>
    </section>
  )
}
