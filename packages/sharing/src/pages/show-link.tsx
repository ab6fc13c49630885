/** GET /reports/{report_id}/share-links/{share_id}: a new link, once. */
import {
  Moment,
  Notice,
  page,
  type Page,
  type PageCall,
  type Redirect,
  showOnce,
  takeOnce,
} from '@cupel/console'

export interface NewShare {
  readonly share_id: string
  readonly url: string
  readonly expires_at: string
}

type Link = Pick<NewShare, 'url' | 'expires_at'>

export const showLink = (
  call: PageCall,
  reportId: string,
  { share_id, url, expires_at }: NewShare,
): Promise<Redirect> =>
  showOnce<Link>(call, `/reports/${reportId}/share-links/${share_id}`, { url, expires_at })

const GONE = 410

export const newLink: Page = {
  method: 'GET',
  path: '/reports/{report_id}/share-links/{share_id}',
  access: 'session',
  async handle(call) {
    const id = encodeURIComponent(call.path['report_id'] ?? '')
    const taken = await takeOnce<Link>(call)
    const title = taken === null ? 'The link was shown once' : 'The link'
    const body = (
      <section class="new-share">
        <h1>{title}</h1>
        {taken === null ? <WasShown /> : <LinkShown {...taken.secret} />}
        <p>
          <a href={`/reports/${id}#shares`}>Back to the report</a>
        </p>
      </section>
    )
    const section = `/reports/${id}`
    return taken === null
      ? page(title, body, { section, status: GONE })
      : page(title, body, { section, cookies: taken.cookies })
  },
}

const LinkShown = ({ url, expires_at }: Link) => (
  <>
    <Notice kind="done">Copy the link now: it is not shown again.</Notice>
    <label for="link">Link to the report</label>
    <input id="link" class="code" readonly value={url} data-copy />
    <p>
      It opens until <Moment at={expires_at} />. Whoever has it can read the report: send it as you would send
      the report itself.
    </p>
  </>
)

const WasShown = () => (
  <p>
    Cupel keeps no link that it could show again. If nobody copied the link, revoke it and make another one:
    both are on the page of the report.
  </p>
)
