/** POST /reports/{report_id}/share-links, which shows the link once, and …/{share_id}/revoke. */
import { Moment } from '../../components/moment.js'
import { Notice } from '../../components/notice.js'
import { fieldOf, page, redirect, type Page } from '../../server/page.js'

interface NewShare {
  readonly url: string
  readonly expires_at: string
}

export const makeShare: Page = {
  method: 'POST',
  path: '/reports/{report_id}/share-links',
  access: 'session',
  async handle({ api, path, form }) {
    const id = encodeURIComponent(path['report_id'] ?? '')
    const order = {
      expires_in_hours: Number(fieldOf(form, 'hours')),
      label: fieldOf(form, 'label').trim(),
    }
    const { url, expires_at } = await api.send<NewShare>('POST', `/v1/reports/${id}/share-links`, order)
    // Not a redirect: the link is in this answer alone.
    return page(
      'The link',
      <section class="new-share">
        <h1>The link</h1>
        <Notice kind="done">Copy the link now: it is not shown again.</Notice>
        <label for="link">Link to the report</label>
        <input id="link" class="code" readonly value={url} />
        <p>
          It opens until <Moment at={expires_at} />. Whoever has it can read the report: send it as you would
          send the report itself.
        </p>
        <p>
          <a href={`/reports/${id}#shares`}>Back to the report</a>
        </p>
      </section>,
      { section: `/reports/${id}` },
    )
  },
}

export const revokeShare: Page = {
  method: 'POST',
  path: '/reports/{report_id}/share-links/{share_id}/revoke',
  access: 'session',
  async handle({ api, path }) {
    const [id, share] = [path['report_id'], path['share_id']].map((part) => encodeURIComponent(part ?? ''))
    await api.send('DELETE', `/v1/reports/${id}/share-links/${share}`)
    return redirect(`/reports/${id}#shares`)
  },
}
