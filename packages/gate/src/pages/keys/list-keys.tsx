/** GET and POST /keys: the API keys of the account, and a new one. */
import { visibleText } from '@cupel/reports/document'
import {
  type ListPage,
  ApiProblem,
  Form,
  Moment,
  Notice,
  Pager,
  queryText,
  ScrollTable,
  page,
  type Page,
  type PageCall,
  type ShownPage,
} from '@cupel/console'
import {
  API_KEYS,
  pagePathOf,
  rightsOf,
  scopeText,
  statusText,
  tenantOf,
  withoutReason,
  type ApiKey,
} from './api-key.js'
import { isRedirect, sendOrPropose } from '../changes/proposed-change.js'
import { readWaiting, WaitingChanges } from '../changes/waiting-changes.js'
import { KeyFields } from './key-fields.js'
import { showKeyOnce } from './show-new-key.js'

export const listKeys: Page = {
  method: 'GET',
  path: '/keys',
  access: 'session',
  handle: (call) => keysPage(call, { fault: null, status: 200 }),
}

export const createKey: Page = {
  method: 'POST',
  path: '/keys',
  access: 'session',
  async handle(call) {
    try {
      const rights = rightsOf(call.form)
      const made = await sendOrPropose(
        call,
        () => call.api.send<ApiKey & { readonly key: string }>('POST', API_KEYS, rights),
        { issue_key: withoutReason(rights) },
      )
      if (isRedirect(made)) return made
      return await showKeyOnce(call, made.key_id, { secret: made.key, replaced: null })
    } catch (error) {
      if (!(error instanceof ApiProblem) || ![400, 403, 409].includes(error.status)) throw error
      return keysPage(call, { fault: error.errors[0]?.detail ?? error.detail, status: error.status })
    }
  },
}

async function keysPage(
  call: PageCall,
  { fault, status }: { readonly fault: string | null; readonly status: number },
): Promise<ShownPage> {
  const tenant = tenantOf(call.query.get('account_id'), call.query.get('livemode'))
  const asked = Object.fromEntries(Object.entries(tenant).map(([name, value]) => [name, String(value)]))
  const isLive = tenant['livemode'] ?? call.session?.livemode !== false
  const [{ items, next_page_token: next }, waiting] = await Promise.all([
    call.api.get<ListPage<ApiKey>>(API_KEYS, { ...asked, page_token: call.query.get('page_token') }),
    readWaiting(call),
  ])
  const body = (
    <section>
      <h1>API keys</h1>
      <p class="quiet">
        Keys of {asked['account_id'] === undefined ? 'this account' : <code>{asked['account_id']}</code>} in
        the {isLive === false ? 'sandbox' : 'live environment'}. A key is shown once, when it is issued.
      </p>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      <WaitingChanges of={waiting} />
      <ScrollTable
        caption="API keys"
        class="stacked"
        head={['Key', 'State', 'May', 'Plan', 'Usable from', 'Issued', 'Last used']}
      >
        {items.map((key) => (
          <tr key={key.key_id}>
            <td>
              <a href={pagePathOf(key.key_id)}>
                {key.name === '' ? <code>{key.key_id}</code> : visibleText(key.name)}
              </a>
            </td>
            <td data-head="State">{statusText(key.status)}</td>
            <td data-head="May">{scopeText(key.scope)}</td>
            <td data-head="Plan">{key.plan}</td>
            <td data-head="Usable from">
              {key.allowed_ips.length === 0 ? 'anywhere' : key.allowed_ips.join(', ')}
            </td>
            <td data-head="Issued">
              <Moment at={key.issued_at} />
            </td>
            <td data-head="Last used">
              <Moment at={key.last_used_at} otherwise="never" />
            </td>
          </tr>
        ))}
      </ScrollTable>
      <Pager path="/keys" query={call.query} next={next} />
      <section aria-labelledby="new-key">
        <h2 id="new-key">New key</h2>
        <Form call={call} action={`/keys${queryText(asked)}`} class="narrow">
          {Object.entries(asked).map(([name, value]) => (
            <input key={name} type="hidden" name={name} value={value} />
          ))}
          <KeyFields before={null} />
          <p class="actions">
            <button>Issue the key</button>
          </p>
        </Form>
      </section>
    </section>
  )
  return page('API keys', body, { status, section: '/keys' })
}
