/** The form that screens one address: one field, and the facts known about its text. */
import { randomUUID } from 'node:crypto'
import { ChainAndReference, Form, Notice, type PageCall, mayChange } from '@cupel/console'
import { adviseOn } from './address-advice.js'

export interface ScreenFormState {
  readonly address: string
  readonly chain: string
  readonly reference: string
  /** Why the last try did not succeed. */
  readonly fault: string | null
}

export const emptyForm: ScreenFormState = { address: '', chain: '', reference: '', fault: null }

interface ScreenFormProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly state: ScreenFormState
}

export function ScreenForm({ call, state }: ScreenFormProps) {
  if (!mayChange(call.session))
    return (
      <Notice kind="hint">
        This key reads and does not screen. Sign in with a read-write key to screen an address.
      </Notice>
    )
  const advice = adviseOn(state.address, state.chain)
  return (
    <Form call={call} action="/screen" class="screen-form">
      {state.fault === null ? null : <Notice kind="fault">{state.fault}</Notice>}
      <input type="hidden" name="attempt" value={`${Date.now()}-${randomUUID()}`} />
      <label for="address">Wallet address</label>
      <div class="field-and-button">
        <input
          id="address"
          name="address"
          value={state.address}
          required
          autofocus
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          class="code"
          placeholder="0x…, bc1…, T…"
          aria-describedby="detected"
          aria-invalid={state.fault === null ? undefined : true}
          data-detect="/screen/detect"
        />
        <button>Screen</button>
      </div>
      <p id="detected" class="detected quiet" role="status" data-kind={advice.kind}>
        {state.fault === null && advice.kind !== 'empty'
          ? advice.text
          : 'The chain is detected from the address.'}
      </p>
      <details open={state.chain !== '' || state.reference !== ''}>
        <summary>Chain and reference</summary>
        <ChainAndReference chain={state.chain} reference={state.reference} />
      </details>
    </Form>
  )
}
