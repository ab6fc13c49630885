/** GET /changes/{change_id} and POST …/decision: a proposed change, and its decision. */
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
import { showKeyOnce } from '../keys/show-new-key.js'
import {
  apiPathOfChange,
  changeStatusText,
  changeTitle,
  linesOf,
  pathOfChange,
  personText,
  type ChangePanel,
  type ProposedChange,
} from './proposed-change.js'

const REFUSALS = [400, 403, 409]

export const showChange = (panels: readonly ChangePanel[]): Page => ({
  method: 'GET',
  path: '/changes/{change_id}',
  access: 'session',
  handle: (call) => changePage(call, { panels, fault: null, status: 200 }),
})

interface Decided extends ProposedChange {
  readonly new_key: {
    readonly key_id: string
    readonly key: string
    readonly rotated_from: string | null
  } | null
}

export const decideChange = (panels: readonly ChangePanel[]): Page => ({
  method: 'POST',
  path: '/changes/{change_id}/decision',
  access: 'session',
  async handle(call) {
    const id = call.path['change_id'] ?? ''
    const decision = fieldOf(call.form, 'decision')
    if (decision !== 'confirm' && decision !== 'refuse')
      return await changePage(call, {
        panels,
        fault: 'Choose whether you confirm or refuse it.',
        status: 400,
      })
    try {
      const { new_key: made } = await call.api.send<Decided>('POST', apiPathOfChange(id, '/decision'), {
        decision,
      })
      if (made === null) return redirect(pathOfChange(id))
      return await showKeyOnce(call, made.key_id, { secret: made.key, replaced: made.rotated_from })
    } catch (error) {
      if (!(error instanceof ApiProblem) || !REFUSALS.includes(error.status)) throw error
      return await changePage(call, { panels, fault: error.detail, status: error.status })
    }
  },
})

async function changePage(
  call: PageCall,
  {
    panels,
    fault,
    status,
  }: { readonly panels: readonly ChangePanel[]; readonly fault: string | null; readonly status: number },
): Promise<ShownPage> {
  const one = await call.api.get<ProposedChange>(apiPathOfChange(call.path['change_id'] ?? ''))
  const title = changeTitle(one)
  const body = (
    <>
      <p>
        <a href="/inbox">Inbox</a>
      </p>
      <h1>{title}</h1>
      <p role="status">
        It {changeStatusText(one.status)}. Proposed <Moment at={one.proposed_at} /> by{' '}
        <bdi>{personText(one.proposed_by)}</bdi>
        {one.status === 'open' ? (
          <>
            ; it expires <Moment at={one.expires_at} />
          </>
        ) : null}
        {one.decided_by === null ? null : (
          <>
            , decided <Moment at={one.decided_at} /> by <bdi>{personText(one.decided_by)}</bdi>
          </>
        )}
        .
      </p>
      <p dir="auto">{visibleText(one.reason)}</p>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      <h2>What it changes</h2>
      {one.change === null ? (
        <Notice kind="fault">Nobody can read any more what it changes, so nobody can confirm it.</Notice>
      ) : (
        (panels.find(({ kind }) => kind === one.kind)?.show(call, { ...one, change: one.change }) ?? (
          <Fields of={one.change} />
        ))
      )}
      <Decision call={call} of={one} />
    </>
  )
  return page(title, body, { status, section: '/inbox' })
}

function Fields({ of: change }: { readonly of: NonNullable<ProposedChange['change']> }) {
  return (
    <dl class="fields">
      {linesOf(change).map(({ label, value }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Nothing is chosen beforehand. */
function Decision({ call, of: one }: { readonly call: PageCall; readonly of: ProposedChange }) {
  if (one.status !== 'open') return null
  const action = pathOfChange(one.change_id, '/decision')
  if (!one.may_confirm)
    return (
      <section aria-labelledby="decision-title" class="no-print">
        <h2 id="decision-title">Refuse the proposal</h2>
        <Notice kind="hint">
          {one.effect?.is_outdated === true
            ? 'Another policy came into force since, so it would change something else than it said.'
            : one.needs_second_person
              ? 'Another person than the one who proposed it confirms it. You can take it back.'
              : 'You cannot confirm it.'}
        </Notice>
        <Form call={call} action={action}>
          <button name="decision" value="refuse" class="plain">
            Refuse it
          </button>
        </Form>
      </section>
    )
  return (
    <section aria-labelledby="decision-title" class="no-print">
      <h2 id="decision-title">Confirm or refuse the proposal</h2>
      <Form call={call} action={action} class="narrow">
        <fieldset>
          <legend>Your decision</legend>
          <label class="check">
            <input type="radio" name="decision" value="confirm" required /> Confirm: it is made now
          </label>
          <label class="check">
            <input type="radio" name="decision" value="refuse" required /> Refuse: nothing changes
          </label>
        </fieldset>
        <p class="actions">
          <button>Decide</button>
        </p>
      </Form>
    </section>
  )
}
