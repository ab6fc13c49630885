/** GET and POST /accounts: the accounts of the installation with their keys in short, and who signs in. For operators. */
import { visibleText } from '@cupel/reports/document'
import {
  ApiProblem,
  fieldOf,
  Form,
  Moment,
  Notice,
  page,
  Pager,
  queryText,
  redirect,
  ScrollTable,
  type ListPage,
  type Page,
  type PageCall,
  type ShownPage,
} from '@cupel/console'
import { givenTexts, scopeText } from '../keys/api-key.js'

interface Account {
  readonly account_id: string
  readonly name: string
  readonly created_at: string
  readonly working_keys: number
  readonly plans: readonly string[]
  readonly last_used_at: string | null
}

interface Role {
  readonly key_id: string
  readonly account_id: string
  readonly livemode: boolean
  readonly scope: string
}

interface People {
  readonly has_sign_in_service: boolean
  readonly groups: readonly { readonly group: string; readonly acts_with: Role | null }[]
  readonly signed_in: readonly (Role & {
    readonly person: string
    readonly begun_at: string
    readonly used_at: string
  })[]
}

const API_ACCOUNTS = '/v1/accounts'

export const listAccounts: Page = {
  method: 'GET',
  path: '/accounts',
  access: 'session',
  handle: (call) => accountsPage(call, { fault: null, status: 200 }),
}

export const openAccount: Page = {
  method: 'POST',
  path: '/accounts',
  access: 'session',
  async handle(call) {
    try {
      const body = { name: fieldOf(call.form, 'name'), ...givenTexts(call.form, ['reason']) }
      const { account_id: id } = await call.api.send<Account>('POST', API_ACCOUNTS, body)
      return redirect(keysOf(id, true))
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 400) throw error
      return await accountsPage(call, {
        fault: error.errors[0]?.detail ?? error.detail,
        status: error.status,
      })
    }
  },
}

/** The page of the keys of an account and environment. */
const keysOf = (accountId: string, livemode: boolean): string =>
  `/keys${queryText({ account_id: accountId, livemode: String(livemode) })}`

async function accountsPage(
  call: PageCall,
  { fault, status }: { readonly fault: string | null; readonly status: number },
): Promise<ShownPage> {
  const { api, query } = call
  const [{ items, next_page_token: next }, people] = await Promise.all([
    api.get<ListPage<Account>>(API_ACCOUNTS, { page_token: query.get('page_token'), page_size: 50 }),
    api.get<People>('/v1/people'),
  ])
  const body = (
    <>
      <h1>Accounts and people</h1>
      {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
      <section aria-labelledby="accounts-title">
        <h2 id="accounts-title">Accounts</h2>
        <p class="quiet">Each key has a plan: change it on the page of the key.</p>
        <ScrollTable
          caption="Accounts, oldest first"
          class="stacked"
          head={['Account', 'Plans', { number: 'Keys that work' }, 'Last used', 'Opened', 'Sandbox']}
        >
          {items.map((one) => (
            <tr key={one.account_id}>
              <td dir="auto">
                <a href={keysOf(one.account_id, true)}>{visibleText(one.name)}</a>{' '}
                <code>{one.account_id}</code>
              </td>
              <td data-head="Plans">{one.plans.length === 0 ? 'none' : visibleText(one.plans.join(', '))}</td>
              <td data-head="Keys that work" class="number">
                {one.working_keys}
              </td>
              <td data-head="Last used">
                <Moment at={one.last_used_at} otherwise="never" />
              </td>
              <td data-head="Opened">
                <Moment at={one.created_at} />
              </td>
              <td data-head="Sandbox">
                <a
                  href={keysOf(one.account_id, false)}
                  aria-label={`Sandbox keys of ${visibleText(one.name)}`}
                >
                  Sandbox keys
                </a>
              </td>
            </tr>
          ))}
        </ScrollTable>
        <Pager path="/accounts" query={query} next={next} />
        <details class="confirm no-print">
          <summary>Open an account</summary>
          <Form call={call} action="/accounts" class="narrow">
            <label for="name">Name</label>
            <input id="name" name="name" required maxlength={200} autocomplete="off" />
            <label for="reason">Why</label>
            <input id="reason" name="reason" maxlength={500} autocomplete="off" />
            <p class="actions">
              <button>Open the account</button>
            </p>
          </Form>
        </details>
      </section>
      <Groups of={people} />
      <SignedIn of={people} />
    </>
  )
  return page('Accounts and people', body, { status, section: '/accounts' })
}

const roleText = ({ scope, livemode }: Role): string =>
  `${scopeText(scope)}${livemode ? '' : ', in the sandbox'}`

function Groups({ of: { has_sign_in_service: hasService, groups } }: { readonly of: People }) {
  return (
    <section aria-labelledby="groups-title">
      <h2 id="groups-title">Roles of people</h2>
      {hasService ? (
        <ScrollTable
          caption="Groups of the sign-in service"
          class="stacked"
          head={['Group', 'May', 'Acts with', 'Account']}
        >
          {groups.map(({ group, acts_with: role }) => (
            <tr key={group}>
              <td dir="auto">{visibleText(group)}</td>
              <td data-head="May">
                {role === null ? '! Nothing: the key of the settings does not work' : roleText(role)}
              </td>
              <td data-head="Acts with">{role === null ? 'no key' : <KeyLink of={role} />}</td>
              <td data-head="Account">{role === null ? 'none' : <code>{role.account_id}</code>}</td>
            </tr>
          ))}
        </ScrollTable>
      ) : (
        <p class="empty">No sign-in service is configured: people sign in with a key.</p>
      )}
    </section>
  )
}

const KeyLink = ({ of: { key_id: id } }: { readonly of: Role }) => (
  <a href={`/keys/${encodeURIComponent(id)}`}>
    <code>{id}</code>
  </a>
)

function SignedIn({ of: { signed_in: people } }: { readonly of: People }) {
  return (
    <section aria-labelledby="people-title">
      <h2 id="people-title">Signed in now</h2>
      {people.length === 0 ? (
        <p class="empty">Nobody is signed in with a sign-in service.</p>
      ) : (
        <ScrollTable
          caption="People who are signed in, the last used session first"
          class="stacked"
          head={['Person', 'May', 'Acts with', 'Account', 'Since', 'Last call']}
        >
          {people.map((one) => (
            <tr key={`${one.person} ${one.begun_at}`}>
              <td dir="auto">{visibleText(one.person)}</td>
              <td data-head="May">{roleText(one)}</td>
              <td data-head="Acts with">
                <KeyLink of={one} />
              </td>
              <td data-head="Account">
                <code>{one.account_id}</code>
              </td>
              <td data-head="Since">
                <Moment at={one.begun_at} />
              </td>
              <td data-head="Last call">
                <Moment at={one.used_at} />
              </td>
            </tr>
          ))}
        </ScrollTable>
      )}
      <p>
        The <a href="/audit">audit log</a> has what people did.
      </p>
    </section>
  )
}
