/** GET /webhooks/{endpoint_id}/secret: a new secret, once. */
import { visibleText } from '@cupel/reports/document'
import { Notice, page, type Page, type PageCall, type Redirect, showOnce, takeOnce } from '@cupel/console'
import { apiPathOf, type WebhookEndpoint } from './endpoint.js'

interface NewSecret {
  readonly secret: string
  /** Whether the endpoint is new too; else the old secret counts for a while. */
  readonly isNew: boolean
}

export const showSecret = (call: PageCall, endpointId: string, secret: NewSecret): Promise<Redirect> =>
  showOnce(call, `/webhooks/${encodeURIComponent(endpointId)}/secret`, secret)

const GONE = 410

export const endpointSecret: Page = {
  method: 'GET',
  path: '/webhooks/{endpoint_id}/secret',
  access: 'session',
  async handle(call) {
    const { endpoint_id: id, url } = await call.api.get<WebhookEndpoint>(apiPathOf(call.path['endpoint_id']))
    const taken = await takeOnce<NewSecret>(call)
    const title = titleOf(taken?.secret)
    const body = (
      <>
        <h1>{title}</h1>
        {taken === null ? <WasShown /> : <SecretShown url={url} {...taken.secret} />}
        <p>
          <a class="button" href={`/webhooks/${id}`}>
            To the endpoint
          </a>
        </p>
      </>
    )
    return taken === null
      ? page(title, body, { section: '/webhooks', status: GONE })
      : page(title, body, { section: '/webhooks', cookies: taken.cookies })
  },
}

function titleOf(shown: NewSecret | undefined): string {
  if (shown === undefined) return 'The secret was shown once'
  return shown.isNew ? 'The endpoint was created' : 'There is a new secret'
}

const SecretShown = ({ url, secret, isNew }: NewSecret & { readonly url: string }) => (
  <>
    <p>
      Messages to <code>{visibleText(url)}</code> are signed with this secret:
    </p>
    <p>
      <code class="secret" data-copy>
        {secret}
      </code>
    </p>
    <Notice kind="hint">Copy it now into the receiver: it is not shown again.</Notice>
    {isNew ? null : (
      <p>
        For 24 hours messages are signed with the secret of before as well, so that the receiver can change
        over at any time in between.
      </p>
    )}
  </>
)

const WasShown = () => (
  <p>
    Cupel does not show a secret again. If nobody copied it, rotate the secret on the page of the endpoint:
    there is a new one then, and for 24 hours messages carry both signatures.
  </p>
)
