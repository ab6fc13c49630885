/** GET /sign-in: the form that takes a key. */
import { Form } from '../../components/form.js'
import { Notice } from '../../components/notice.js'
import { page, redirect, type Page, type PageCall, type ShownPage } from '../../server/page.js'
import { returnPath } from '../../session/return-path.js'

export const showSignIn: Page = {
  method: 'GET',
  path: '/sign-in',
  access: 'open',
  handle(call) {
    if (call.session !== null && !call.query.has('again')) return redirect(returnPath(call.query.get('next')))
    return signInForm(call, { next: returnPath(call.query.get('next')), fault: null })
  },
}

interface FormState {
  readonly next: string
  /** Why the last try did not succeed. */
  readonly fault: string | null
  readonly status?: number
}

export function signInForm(
  call: Pick<PageCall, 'csrf'>,
  { next, fault, status = 200 }: FormState,
): ShownPage {
  const body = (
    <section class="sign-in">
      <h1>Sign in</h1>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {next.startsWith('/reports/') && fault === null ? (
        <Notice kind="hint">Sign in to read this report. You come back to it.</Notice>
      ) : null}
      <Form call={call} action="/sign-in">
        <input type="hidden" name="next" value={next} />
        <label for="key">API key</label>
        <input
          id="key"
          name="key"
          type="password"
          required
          autocomplete="off"
          spellcheck={false}
          aria-describedby="key-hint"
          placeholder="cpl_live_…"
        />
        <p id="key-hint" class="quiet">
          The key is exchanged once for a session of at most 8 hours and is not kept. The session can do what
          the key can.
        </p>
        <button>Sign in</button>
      </Form>
    </section>
  )
  return page('Sign in', body, { status })
}
