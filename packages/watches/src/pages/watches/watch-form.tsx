/** The form that watches addresses, one on each line. */
import { ChainAndReference, Form, Notice, type PageCall, mayChange } from '@cupel/console'

/** Addresses of one form, so that it stays below the limit of forms without a file. The API takes more in a call. */
export const MAX_LINES = 500

export interface WatchFormState {
  /** One address on each line. */
  readonly addresses: string
  readonly chain: string
  readonly reference: string
  readonly isInDigest: boolean
  /** Why the last try watched nothing, one sentence each. */
  readonly faults: readonly string[]
}

export const emptyWatchForm: WatchFormState = {
  ...{ addresses: '', chain: '', reference: '', isInDigest: false },
  faults: [],
}

interface WatchFormProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly state: WatchFormState
}

export function WatchForm({ call, state }: WatchFormProps) {
  if (!mayChange(call.session))
    return <Notice kind="hint">This key reads and does not watch. Sign in with a read-write key.</Notice>
  return (
    <section aria-labelledby="new-watches">
      <h2 id="new-watches">Watch addresses</h2>
      {state.faults.map((fault) => (
        <Notice key={fault} kind="fault">
          {fault}
        </Notice>
      ))}
      <Form call={call} action="/watches" class="screen-form">
        <label for="addresses">Addresses, one on each line</label>
        <textarea
          id="addresses"
          name="addresses"
          rows={state.addresses.includes('\n') ? 8 : 3}
          required
          class="code"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          aria-describedby="watch-limits"
        >
          {state.addresses}
        </textarea>
        <p id="watch-limits" class="quiet">
          At most {MAX_LINES} lines. An address that is watched already takes the reference and the digest of
          this form.
        </p>
        <ChainAndReference chain={state.chain} reference={state.reference} />
        <p>
          <label>
            <input type="checkbox" name="digest" value="yes" checked={state.isInDigest} /> Part of the daily
            digest
          </label>
        </p>
        <p class="actions">
          <button>Watch</button>
        </p>
      </Form>
    </section>
  )
}
