/** GET /sign-out/done: the session here is over; the session at the sign-in service may go on. */
import { type SignInService, page, redirect, type Page } from '@cupel/console'

export const showSignedOut = (service: SignInService): Page => ({
  method: 'GET',
  path: '/sign-out/done',
  access: 'open',
  async handle({ session }) {
    if (session !== null) return redirect('/')
    const url = await service.signOutUrl()
    const body = (
      <section class="sign-in">
        <h1>You are signed out</h1>
        <p>
          Your session with {service.name} may go on: whoever uses this browser can then sign in again without
          a password.
        </p>
        {url === null ? null : (
          <p>
            <a class="button" href={url} rel="noreferrer">
              Sign out of {service.name} too
            </a>
          </p>
        )}
        <p>
          <a href="/sign-in">To the sign-in</a>
        </p>
      </section>
    )
    return page('Signed out', body)
  },
})
