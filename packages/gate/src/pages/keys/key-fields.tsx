/** The fields of a key that a person sets. */
import { dayOf, scopeText, type ApiKey } from './api-key.js'

/** `before`: the key before the change; null for a new one. */
export function KeyFields({ before }: { readonly before: ApiKey | null }) {
  const scope = before?.scope ?? 'read-write'
  return (
    <>
      <label for="name">Name</label>
      <input id="name" name="name" value={before?.name ?? ''} maxlength={200} autocomplete="off" />
      <label for="scope">May</label>
      <select id="scope" name="scope">
        {['read-only', 'read-write', 'admin'].map((one) => (
          <option key={one} value={one} selected={one === scope}>
            {scopeText(one)}
          </option>
        ))}
      </select>
      <label for="plan">Plan</label>
      <select id="plan" name="plan">
        <option value="">{before === null ? 'That of your key' : `As before: ${before.plan}`}</option>
        {['pro', 'enterprise'].map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <label for="allowed_ips">Usable from</label>
      <textarea
        id="allowed_ips"
        name="allowed_ips"
        rows={3}
        spellcheck={false}
        placeholder="203.0.113.0/24"
        aria-describedby="allowed-hint"
      >
        {(before?.allowed_ips ?? []).join('\n')}
      </textarea>
      <p id="allowed-hint" class="quiet">
        Addresses and CIDR ranges, one per line. Empty: from anywhere.
      </p>
      <label for="expires">Expires on</label>
      <input id="expires" name="expires" type="date" value={dayOf(before?.expires_at)} />
      <input type="hidden" name="expires_before" value={dayOf(before?.expires_at)} />
      <label class="check">
        <input type="checkbox" name="webhook_admin" value="yes" checked={before?.webhook_admin ?? false} />{' '}
        May change webhook endpoints
      </label>
      <label for="reason">Why</label>
      <input id="reason" name="reason" maxlength={500} autocomplete="off" aria-describedby="reason-hint" />
      <p id="reason-hint" class="quiet">
        The audit log names you and this reason.
      </p>
    </>
  )
}
