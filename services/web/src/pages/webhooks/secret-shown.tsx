/** A secret, once. It is in no address and in no history: the page is the answer to a form. */
import { Notice } from '../../components/notice.js'

interface SecretShownProps {
  readonly title: string
  readonly secret: string
  readonly endpoint: { readonly id: string; readonly url: string }
  /** What holds beside it. */
  readonly note?: string
}

export function SecretShown({ title, secret, endpoint, note }: SecretShownProps) {
  return (
    <>
      <h1>{title}</h1>
      <p>
        Messages to <code>{endpoint.url}</code> are signed with this secret:
      </p>
      <p>
        <code class="secret">{secret}</code>
      </p>
      <Notice kind="hint">
        Copy it now into the receiver. Only this page shows it; do not load the page again.
      </Notice>
      {note === undefined ? null : <p>{note}</p>}
      <p>
        <a class="button" href={`/webhooks/${endpoint.id}`}>
          To the endpoint
        </a>
      </p>
    </>
  )
}
