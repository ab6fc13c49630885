/** GET /shared/{token}: the report of a share link, for anyone with the link. */
import { ApiProblem, page, type Page, type ShownPage } from '@cupel/console'
import { readDocument, type ShownReport, ReportView } from '@cupel/reports/view'

const NO_INDEX = { 'x-robots-tag': 'noindex, nofollow' }
const NOT_FOUND = 404

export const showShared: Page = {
  method: 'GET',
  path: '/shared/{token}',
  access: 'open',
  async handle({ apiAs, path }) {
    const token = encodeURIComponent(path['token'] ?? '')
    let shown: ShownReport
    try {
      // Without the session of a person who may be signed in: the link is judged on its own.
      shown = await readDocument(apiAs(null), `/v1/shared/${token}`)
    } catch (error) {
      if (error instanceof ApiProblem && error.status === NOT_FOUND) return closedPage()
      throw error
    }
    const { document } = shown
    const body = (
      <>
        <p class="quiet no-print">This report was shared with you. The link opens nothing else.</p>
        <ReportView document={document} pdfPath={null} />
      </>
    )
    return page(`${`${document.verdict.levelWord} ${document.verdict.score}`.trim()}, shared report`, body, {
      headers: NO_INDEX,
      section: '',
    })
  },
}

function closedPage(): ShownPage {
  return page(
    'This link opens nothing',
    <section class="fault">
      <h1>This link opens nothing</h1>
      <p>It was mistyped, it expired, or it was revoked. Ask the person who sent it for another one.</p>
    </section>,
    { status: NOT_FOUND, headers: NO_INDEX, section: '' },
  )
}
