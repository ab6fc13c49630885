/** GET /keys/{key_id} and POST /keys/{key_id}/…: one API key, and its changes. */
import { visibleText } from '@cupel/reports/document'
import type { ComponentChildren } from 'preact'
import {
  ApiProblem,
  Form,
  Moment,
  Notice,
  page,
  redirect,
  type Page,
  type PageAnswer,
  type PageCall,
  type ShownPage,
} from '@cupel/console'
import {
  apiPathOf,
  givenTexts,
  pagePathOf,
  rightsOf,
  scopeText,
  statusText,
  withoutReason,
  type ApiKey,
} from './api-key.js'
import { isRedirect, sendOrPropose } from '../changes/proposed-change.js'
import { KeyFields } from './key-fields.js'
import { showKeyOnce } from './show-new-key.js'

export const showKey: Page = {
  method: 'GET',
  path: '/keys/{key_id}',
  access: 'session',
  handle: (call) => keyPage(call, { fault: null, status: 200 }),
}

/** Handles a form on the page of a key; that page shows the refusals of the API. */
function change(action: string, handle: (call: PageCall, keyId: string) => Promise<PageAnswer>): Page {
  return {
    method: 'POST',
    path: `/keys/{key_id}/${action}`,
    access: 'session',
    async handle(call) {
      try {
        return await handle(call, call.path['key_id'] ?? '')
      } catch (error) {
        if (!(error instanceof ApiProblem) || ![400, 403, 409].includes(error.status)) throw error
        return await keyPage(call, { fault: error.errors[0]?.detail ?? error.detail, status: error.status })
      }
    },
  }
}

export const changeKey = change('change', async (call, id) => {
  const rights = rightsOf(call.form)
  const made = await sendOrPropose(call, () => call.api.send('PATCH', apiPathOf(id), rights), {
    change_key: { key_id: id, ...withoutReason(rights) },
  })
  if (isRedirect(made)) return made
  return redirect(`${pagePathOf(id)}?changed`)
})

export const rotateKey = change('rotate', async (call, id) => {
  const reason = givenTexts(call.form, ['reason'])
  const made = await sendOrPropose(
    call,
    () => call.api.send<ApiKey & { readonly key: string }>('POST', apiPathOf(id, '/rotate'), reason),
    { rotate_key: { key_id: id } },
  )
  if (isRedirect(made)) return made
  return await showKeyOnce(call, made.key_id, { secret: made.key, replaced: id })
})

export const revokeKey = change('revoke', async ({ api, form }, id) => {
  await api.send('POST', apiPathOf(id, '/revoke'), givenTexts(form, ['reason']))
  return redirect(`${pagePathOf(id)}?revoked`)
})

async function keyPage(
  call: PageCall,
  { fault, status }: { readonly fault: string | null; readonly status: number },
): Promise<ShownPage> {
  const key = await call.api.get<ApiKey>(apiPathOf(call.path['key_id']))
  const title = key.name === '' ? `Key ${key.key_id}` : key.name
  const body = (
    <>
      <p>
        <a href="/keys">All keys</a>
      </p>
      <h1 dir="auto">{visibleText(title)}</h1>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {call.query.has('changed') ? <Notice kind="done">The key was changed.</Notice> : null}
      {call.query.has('revoked') ? <Notice kind="done">The key was revoked.</Notice> : null}
      <KeyFacts of={key} />
      {key.status !== 'active' ? null : call.session?.keyId === key.key_id ? (
        <>
          <Notice kind="hint">
            You act with this key. Another key with the scope admin changes or revokes it.
          </Notice>
          <Rotation call={call} of={key} />
        </>
      ) : (
        <>
          <details class="confirm no-print">
            <summary>Change the key</summary>
            <Form call={call} action={pagePathOf(key.key_id, '/change')} class="narrow">
              <KeyFields before={key} />
              <p class="actions">
                <button>Save</button>
              </p>
            </Form>
          </details>
          <Rotation call={call} of={key} />
          <details class="confirm no-print">
            <summary>Revoke the key</summary>
            <p>Every call with it, and every session of it, is refused from now on.</p>
            <Form call={call} action={pagePathOf(key.key_id, '/revoke')} class="narrow">
              <label for="revoke-reason">Why</label>
              <input id="revoke-reason" name="reason" maxlength={500} autocomplete="off" />
              <p class="actions">
                <button class="danger">Revoke it</button>
              </p>
            </Form>
          </details>
        </>
      )}
    </>
  )
  return page(title, body, { status, section: '/keys' })
}

function KeyFacts({ of: key }: { readonly of: ApiKey }) {
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ['Id', <code key="id">{key.key_id}</code>],
    ['State', statusText(key.status)],
    ['May', scopeText(key.scope)],
    ['Plan', key.plan],
    ['Webhook endpoints', key.webhook_admin ? 'may change them' : 'may read them'],
    ['Usable from', key.allowed_ips.length === 0 ? 'anywhere' : key.allowed_ips.join(', ')],
    ['Issued', <Moment key="issued" at={key.issued_at} />],
    ['Replaces', key.rotated_from ?? 'no other key'],
    ['Expires', <Moment key="expires" at={key.expires_at} otherwise="never" />],
    ['Revoked', <Moment key="revoked" at={key.revoked_at} otherwise="no" />],
    ['Last used', <Moment key="used" at={key.last_used_at} otherwise="never" />],
  ]
  return (
    <dl class="fields">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd dir="auto">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Rotation({ call, of: key }: { readonly call: PageCall; readonly of: ApiKey }) {
  return (
    <details class="confirm no-print">
      <summary>Rotate the key</summary>
      <p>The next page shows a successor with the same rights. For 24 hours both work.</p>
      <Form call={call} action={pagePathOf(key.key_id, '/rotate')} class="narrow">
        <label for="rotate-reason">Why</label>
        <input id="rotate-reason" name="reason" maxlength={500} autocomplete="off" />
        <p class="actions">
          <button>Issue a successor</button>
        </p>
      </Form>
    </details>
  )
}
