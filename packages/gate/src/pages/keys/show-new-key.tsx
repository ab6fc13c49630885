/** GET /keys/{key_id}/new: a new key, once. */
import { visibleText } from '@cupel/reports/document'
import { Notice, page, type Page, type PageCall, type Redirect, showOnce, takeOnce } from '@cupel/console'
import { apiPathOf, pagePathOf, type ApiKey } from './api-key.js'

interface NewKey {
  readonly secret: string
  /** The key that it replaces, which works for a while; null for none. */
  readonly replaced: string | null
}

export const showKeyOnce = (call: PageCall, keyId: string, key: NewKey): Promise<Redirect> =>
  showOnce(call, pagePathOf(keyId, '/new'), key)

const GONE = 410

export const newKey: Page = {
  method: 'GET',
  path: '/keys/{key_id}/new',
  access: 'session',
  async handle(call) {
    const { key_id: id, name } = await call.api.get<ApiKey>(apiPathOf(call.path['key_id']))
    const taken = await takeOnce<NewKey>(call)
    const title = taken === null ? 'The key was shown once' : 'The key was issued'
    const body = (
      <>
        <h1>{title}</h1>
        {taken === null ? (
          <p>Cupel does not show a key again. If nobody copied it, rotate it on its page.</p>
        ) : (
          <>
            <p>{name === '' ? <code>{id}</code> : visibleText(name)}:</p>
            <p>
              <code class="secret" data-copy>
                {taken.secret.secret}
              </code>
            </p>
            <Notice kind="hint">Copy it now: it is not shown again.</Notice>
            {taken.secret.replaced === null ? null : (
              <p>
                The key <code>{taken.secret.replaced}</code> works for 24 hours more.
              </p>
            )}
          </>
        )}
        <p>
          <a class="button" href={pagePathOf(id)}>
            To the key
          </a>
        </p>
      </>
    )
    return taken === null
      ? page(title, body, { section: '/keys', status: GONE })
      : page(title, body, { section: '/keys', cookies: taken.cookies })
  },
}
