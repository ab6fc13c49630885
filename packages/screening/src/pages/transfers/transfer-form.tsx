/** The form that screens one transfer. */
import { randomUUID } from 'node:crypto'
import { chains } from '@cupel/domain'
import { Form, Notice, type PageCall, mayChange } from '@cupel/console'

/** Names of the fields as the API has them, in the order of the form. */
export const transferFields = [
  'chain',
  'direction',
  'from',
  'to',
  'asset',
  'amount',
  'transaction_hash',
  'reference',
] as const
export type TransferField = (typeof transferFields)[number]

export type TransferFormState = Readonly<Record<TransferField, string>> & {
  /** Why the last try did not succeed. */
  readonly fault: string | null
}

const MAX_LENGTH = 256
/** As the API limits it. */
const MAX_REFERENCE_LENGTH = 128

interface TransferFormProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly state: TransferFormState
}

export function TransferForm({ call, state }: TransferFormProps) {
  if (!mayChange(call.session))
    return (
      <Notice kind="hint">
        This key reads and does not screen. Sign in with a read-write key to screen a transfer.
      </Notice>
    )
  return (
    <Form call={call} action="/transfers" class="screen-form">
      {state.fault === null ? null : <Notice kind="fault">{state.fault}</Notice>}
      <input type="hidden" name="attempt" value={`${Date.now()}-${randomUUID()}`} />
      <div class="columns">
        <Choice state={state} name="chain" label="Chain" options={chains.map(chainOption)} />
        <Choice
          state={state}
          name="direction"
          label="Direction"
          options={[
            ['incoming', 'Incoming: the sender is screened'],
            ['outgoing', 'Outgoing: the receiver is screened'],
          ]}
        />
      </div>
      <Text state={state} name="from" label="From" isCode />
      <Text state={state} name="to" label="To" isCode />
      <div class="columns">
        <Text state={state} name="asset" label="Asset: symbol or contract" />
        <Text state={state} name="amount" label="Amount, such as 12.5" />
      </div>
      <Text state={state} name="transaction_hash" label="Transaction hash, if there is one" isCode />
      <Text state={state} name="reference" label="Your reference" maxLength={MAX_REFERENCE_LENGTH} />
      <p class="quiet">
        With a hash of the ledger the other side, asset and amount may be empty: they are then those of the
        transaction.
      </p>
      <button>Screen the transfer</button>
    </Form>
  )
}

const chainOption = ({ code, name }: { code: string; name: string }): readonly [string, string] => [
  code,
  `${name} (${code})`,
]

interface FieldProps {
  readonly state: TransferFormState
  readonly name: TransferField
  readonly label: string
}

function Choice({
  state,
  name,
  label,
  options,
}: FieldProps & { readonly options: readonly (readonly [string, string])[] }) {
  return (
    <div>
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        {options.map(([value, text]) => (
          <option key={value} value={value} selected={value === state[name]}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

function Text({
  state,
  name,
  label,
  isCode = false,
  maxLength = MAX_LENGTH,
}: FieldProps & { readonly isCode?: boolean; readonly maxLength?: number }) {
  return (
    <div>
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        value={state[name]}
        maxlength={maxLength}
        autocomplete="off"
        spellcheck={false}
        class={isCode ? 'code' : undefined}
      />
    </div>
  )
}
