/** Two fields of the forms that take addresses: the chain, and the reference of the caller. */
import { chains } from '@cupel/domain'

/** As the API limits it. */
const MAX_REFERENCE_LENGTH = 128

interface ChainAndReferenceProps {
  /** A code; empty: detected from the address. */
  readonly chain: string
  readonly reference: string
}

export function ChainAndReference({ chain, reference }: ChainAndReferenceProps) {
  return (
    <div class="columns">
      <div>
        <label for="chain">Chain</label>
        <select id="chain" name="chain">
          <option value="">Detect from the address</option>
          {chains.map(({ code, name }) => (
            <option key={code} value={code} selected={code === chain}>
              {name} ({code})
            </option>
          ))}
        </select>
      </div>
      <div>
        <label for="reference">Your reference</label>
        <input
          id="reference"
          name="reference"
          value={reference}
          maxlength={MAX_REFERENCE_LENGTH}
          autocomplete="off"
        />
      </div>
    </div>
  )
}
