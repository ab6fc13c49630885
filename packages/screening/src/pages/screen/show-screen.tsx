/** GET /screen: the form for one address. */
import { page, type Page, type PageCall, type ShownPage } from '@cupel/console'
import { Examples } from './examples.js'
import { emptyForm, ScreenForm, type ScreenFormState } from './screen-form.js'

export const showScreen: Page = {
  method: 'GET',
  path: '/screen',
  access: 'session',
  handle: (call) =>
    screenPage(call, {
      ...emptyForm,
      address: (call.query.get('address') ?? '').trim(),
      chain: call.query.get('chain') ?? '',
      reference: call.query.get('reference') ?? '',
    }),
}

export function screenPage(call: PageCall, state: ScreenFormState, status = 200): ShownPage {
  return page(
    'Screen an address',
    <section class="screen">
      <h1>Screen an address</h1>
      <p class="quiet">
        The report says what is known of the address, what is not known, and why it is red, orange, green or
        grey. Every screening makes a new report, which is kept.
      </p>
      <ScreenForm call={call} state={state} />
      {call.session?.livemode === false ? (
        <details>
          <summary>Addresses with a fixed meaning in the sandbox</summary>
          <Examples call={call} />
        </details>
      ) : null}
      <p class="quiet">
        Many addresses at once: <a href="/bulk">upload a list</a>. Earlier reports:{' '}
        <a href="/history">history</a>. A deposit or a withdrawal: <a href="/transfers">screen a transfer</a>.
      </p>
    </section>,
    { status, section: '/screen' },
  )
}
