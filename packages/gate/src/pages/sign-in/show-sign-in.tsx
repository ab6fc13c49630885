/** GET /sign-in: the form that takes a key. */
import {
  queryText,
  Form,
  Notice,
  page,
  redirect,
  type Page,
  type PageCall,
  type ShownPage,
  returnPath,
} from '@cupel/console'

/** The sign-in service beside the key; null where people sign in only with a key. */
export type SignInWith = { readonly name: string } | null

export function showSignIn(service: SignInWith): Page {
  return {
    method: 'GET',
    path: '/sign-in',
    access: 'open',
    handle(call) {
      const next = returnPath(call.query.get('next'))
      if (call.session !== null && !call.query.has('again')) return redirect(next)
      return signInForm(call, service, { next, fault: null })
    },
  }
}

interface FormState {
  readonly next: string
  /** Why the last try did not succeed. */
  readonly fault: string | null
  readonly status?: number
}

export function signInForm(
  call: Pick<PageCall, 'csrf'>,
  service: SignInWith,
  { next, fault, status = 200 }: FormState,
): ShownPage {
  const body = (
    <section class="sign-in">
      <h1>Sign in</h1>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      {next.startsWith('/reports/') && fault === null ? (
        <Notice kind="hint">Sign in to read this report. You come back to it.</Notice>
      ) : null}
      {service === null ? null : <ServiceLink {...{ service, next }} />}
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
        <button class={service === null ? undefined : 'plain'}>
          {service === null ? 'Sign in' : 'Sign in with a key'}
        </button>
      </Form>
    </section>
  )
  return page('Sign in', body, { status })
}

/** A link, because a form may only lead to this console. */
function ServiceLink({
  service,
  next,
}: {
  readonly service: NonNullable<SignInWith>
  readonly next: string
}) {
  return (
    <>
      <p>
        <a class="button wide" href={`/sign-in/oidc${queryText({ next: next === '/' ? null : next })}`}>
          Sign in with {service.name}
        </a>
      </p>
      <p class="or">
        <span>or with a key</span>
      </p>
    </>
  )
}
