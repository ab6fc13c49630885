/** The fields of an endpoint that a person sets, and the settings in their form. */
import { fieldOf } from '@cupel/console'
import { eventTexts, payloadText } from './endpoint.js'

export interface EndpointSettings {
  readonly url: string
  readonly payload: string
  /** Null: all. */
  readonly events: readonly string[] | null
}

const EVENT = 'event'
/** The payload of e-mail has no choice. */
const CHOSEN_PAYLOADS = ['full', 'thin', 'slack']

/** What the form gives. All boxes chosen mean all messages, those of later versions too. */
export function settingsOf(form: FormData): EndpointSettings & { readonly hasEvents: boolean } {
  const chosen = form.getAll(EVENT).filter((one) => typeof one === 'string')
  const isAll = Object.keys(eventTexts).every((type) => chosen.includes(type))
  const url = fieldOf(form, 'url').trim()
  const payload = /^mailto:/i.test(url) ? '' : fieldOf(form, 'payload')
  return { url, payload, events: isAll ? null : chosen, hasEvents: form.has('events') }
}

/** As the API takes them. Without a field, the API keeps what is set. */
export function bodyOf({ url, payload, events, hasEvents }: ReturnType<typeof settingsOf>): object {
  return {
    ...(url === '' ? {} : { url }),
    ...(payload === '' ? {} : { payload }),
    ...(hasEvents ? { events } : {}),
  }
}

export function EndpointFields({ url, payload, events }: EndpointSettings) {
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
        https on port 443 or 8443, at a host that can be reached from everywhere. Or <code>mailto:</code> with
        an address of e-mail, as <code>mailto:risk@example.com</code>: its recipient is asked to confirm.
      </p>
      {payload === 'email' ? null : (
        <>
          <label for="payload">Message</label>
          <select id="payload" name="payload" aria-describedby="payload-hint">
            {CHOSEN_PAYLOADS.map((kind) => (
              <option key={kind} value={kind} selected={kind === payload}>
                {payloadText(kind)}
              </option>
            ))}
          </select>
          <p id="payload-hint" class="quiet">
            E-mail has its own. A change is for later messages: those that wait keep their form.
          </p>
        </>
      )}
      <fieldset>
        <legend>What it is told</legend>
        <input type="hidden" name="events" value="chosen" />
        {Object.entries(eventTexts).map(([type, text]) => (
          <label key={type} class="choice">
            <input
              type="checkbox"
              name={EVENT}
              value={type}
              checked={events === null || events.includes(type)}
            />{' '}
            {text}
          </label>
        ))}
      </fieldset>
    </>
  )
}
