/** The links of a report for readers without a key, how often each was used, and the forms to make and end one. */
import { visibleText } from '@cupel/reports/document'
import { Form, Moment, Notice, ScrollTable, type PageCall, mayChange } from '@cupel/console'

export interface Share {
  readonly share_id: string
  readonly label: string
  readonly status: string
  readonly created_at: string
  readonly created_by: { readonly key_id: string; readonly person: string | null }
  readonly expires_at: string
  readonly opens: number
  readonly last_opened_at: string | null
}

interface SharePanelProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly reportId: string
  /** Null where they could not be read. */
  readonly shares: readonly Share[] | null
}

const DAY_HOURS = 24
const expiries = [1, 7, 30, 90].map((days) => ({
  hours: days * DAY_HOURS,
  label: days === 1 ? '1 day' : `${days} days`,
}))
const DEFAULT_HOURS = 168
const MAX_LABEL_LENGTH = 200

export function SharePanel({ call, reportId, shares }: SharePanelProps) {
  return (
    <section aria-labelledby="shares" class="panel no-print">
      <h2 id="shares">Share</h2>
      <p class="quiet">
        Whoever has a link can read this report, and nothing else, until the link expires or is revoked. Every
        opening is recorded.
      </p>
      {shares === null ? (
        <Notice kind="fault">The links cannot be read right now. Load the page again in a moment.</Notice>
      ) : shares.length === 0 ? (
        <p class="empty">There is no link to this report.</p>
      ) : (
        <ShareTable {...{ call, reportId, shares }} />
      )}
      {mayChange(call.session) ? <ShareForm {...{ call, reportId }} /> : null}
    </section>
  )
}

function ShareTable({ call, reportId, shares }: SharePanelProps & { readonly shares: readonly Share[] }) {
  const mayRevoke = mayChange(call.session)
  return (
    <ScrollTable
      caption="Links to this report"
      class="stacked"
      head={['For', 'Made', 'Expires', 'Opened', 'Status']}
    >
      {shares.map((share) => (
        <tr key={share.share_id}>
          <td dir="auto">{share.label === '' ? '–' : visibleText(share.label)}</td>
          <td>
            <Moment at={share.created_at} /> by{' '}
            {visibleText(share.created_by.person ?? `key ${share.created_by.key_id}`)}
          </td>
          <td>
            <Moment at={share.expires_at} />
          </td>
          <td>
            {share.opens} ×{share.opens === 0 ? '' : ', last '}
            {share.opens === 0 ? null : <Moment at={share.last_opened_at} />}
          </td>
          <td>
            {share.status === 'usable' && mayRevoke ? (
              <Form call={call} action={`/reports/${reportId}/share-links/${share.share_id}/revoke`}>
                <button class="plain" aria-label={`Revoke the link for ${share.label || 'nobody named'}`}>
                  Revoke
                </button>
              </Form>
            ) : (
              share.status
            )}
          </td>
        </tr>
      ))}
    </ScrollTable>
  )
}

function ShareForm({ call, reportId }: Pick<SharePanelProps, 'call' | 'reportId'>) {
  return (
    <Form call={call} action={`/reports/${reportId}/share-links`} class="share-form">
      <div class="columns">
        <div>
          <label for="share-label">For whom</label>
          <input id="share-label" name="label" maxlength={MAX_LABEL_LENGTH} autocomplete="off" />
        </div>
        <div>
          <label for="share-hours">Expires after</label>
          <select id="share-hours" name="hours">
            {expiries.map(({ hours, label }) => (
              <option key={hours} value={hours} selected={hours === DEFAULT_HOURS}>
                {label}
              </option>
            ))}
          </select>
        </div>
      </div>
      <button>Make a link</button>
    </Form>
  )
}
