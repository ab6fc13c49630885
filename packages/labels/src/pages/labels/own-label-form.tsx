/** The form that blocks or allows an address. */
import { chains, riskCategories } from '@cupel/domain'
import { en, nameOf } from '@cupel/reports/document'
import { Form, Notice, type PageCall, mayAdminister } from '@cupel/console'
import { OWN_LABELS_PAGE } from './own-label.js'

export interface OwnLabelFormState {
  readonly address: string
  readonly chain: string
  /** `allow`, or the category of a block label. */
  readonly statement: string
  readonly reason: string
  /** A day, or empty. */
  readonly expires: string
  /** Why the last try stated nothing. */
  readonly faults: readonly string[]
}

const MAX_REASON_LENGTH = 500

interface OwnLabelFormProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly state: OwnLabelFormState
}

export function OwnLabelForm({ call, state }: OwnLabelFormProps) {
  if (!mayAdminister(call.session))
    return <Notice kind="hint">This key reads labels. An administrator of the account states them.</Notice>
  return (
    <section aria-labelledby="new-label">
      <h2 id="new-label">Block or allow an address</h2>
      <p class="quiet">
        A label counts for this account, from the next screen on. An allow label has no points and hides no
        other statement: it only says that you know whose value the address holds.
      </p>
      {state.faults.map((fault) => (
        <Notice key={fault} kind="fault">
          {fault}
        </Notice>
      ))}
      <Form call={call} action={OWN_LABELS_PAGE} class="narrow">
        <label for="address">Address</label>
        <input
          id="address"
          name="address"
          value={state.address}
          required
          class="code"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
        />
        <ChainChoice chain={state.chain} />
        <label for="statement">Statement</label>
        <select id="statement" name="statement" required>
          <option value="">Choose one</option>
          {riskCategories.map((category) => (
            <option key={category} value={category} selected={state.statement === category}>
              Block: {nameOf(en.categories, category).toLowerCase()}
            </option>
          ))}
          <option value="allow" selected={state.statement === 'allow'}>
            Allow
          </option>
        </select>
        <label for="reason">Why</label>
        <input
          id="reason"
          name="reason"
          value={state.reason}
          required
          maxlength={MAX_REASON_LENGTH}
          autocomplete="off"
          aria-describedby="reason-use"
        />
        <p id="reason-use" class="quiet">
          No report contains it.
        </p>
        <label for="expires">Counts until the end of this day, UTC</label>
        <input id="expires" name="expires" type="date" value={state.expires} aria-describedby="expires-use" />
        <p id="expires-use" class="quiet">
          Empty: until you remove it.
        </p>
        <p class="actions">
          <button>State the label</button>
        </p>
      </Form>
    </section>
  )
}

export function ChainChoice({ chain }: { readonly chain: string }) {
  return (
    <>
      <label for="chain">Chain</label>
      <select id="chain" name="chain">
        <option value="">Detect from the address</option>
        {chains.map(({ code, name }) => (
          <option key={code} value={code} selected={code === chain}>
            {name} ({code})
          </option>
        ))}
      </select>
    </>
  )
}
