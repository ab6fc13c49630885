/** The fields of an endpoint that a person sets. */
import { payloadText } from './endpoint.js'

interface EndpointFieldsProps {
  readonly url: string
  readonly payload: string
}

export function EndpointFields({ url, payload }: EndpointFieldsProps) {
  return (
    <>
      <label for="url">URL</label>
      <input
        id="url"
        name="url"
        type="url"
        required
        value={url}
        spellcheck={false}
        autocomplete="off"
        placeholder="https://hooks.example.com/cupel"
        aria-describedby="url-hint"
      />
      <p id="url-hint" class="quiet">
        https on port 443 or 8443, at a host that can be reached from everywhere.
      </p>
      <label for="payload">Message</label>
      <select id="payload" name="payload">
        {['full', 'thin', 'slack'].map((kind) => (
          <option key={kind} value={kind} selected={kind === payload}>
            {payloadText(kind)}
          </option>
        ))}
      </select>
    </>
  )
}
