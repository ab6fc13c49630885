/** Pages for faults: they say what happened and what the reader can do. */
import type { ComponentChildren } from 'preact'
import type { ApiProblem } from '../api/api-problem.js'
import { page, type ShownPage } from './page.js'

function fault(
  status: number,
  title: string,
  body: ComponentChildren,
  headers: Readonly<Record<string, string>> = {},
): ShownPage {
  const shown = (
    <section class="fault">
      <h1>{title}</h1>
      {body}
      <p>
        <a href="/">To the first page</a>
      </p>
    </section>
  )
  return page(title, shown, { status, headers })
}

export function missingPage(): ShownPage {
  return fault(
    404,
    'There is nothing here',
    <p>The address is wrong, or what it names belongs to another account or environment.</p>,
  )
}

export function methodPage(allow: string): ShownPage {
  return fault(405, 'This page takes no such call', <p>It takes {allow}.</p>, { allow })
}

export function httpsPage(): ShownPage {
  return fault(
    403,
    'HTTPS is required',
    <p>Plain HTTP is accepted only from this host and from trusted proxies.</p>,
  )
}

export function refusedFormPage(status: 400 | 403 | 413 | 415 | 503): ShownPage {
  const reasons = {
    400: 'The form did not arrive whole.',
    403: 'The form did not come from a page of this console that is still valid. Go back, load the page again and repeat.',
    413: 'The request is too large.',
    415: 'The request is not a form.',
    503: 'Too many forms are being received at the moment. Send it again in a moment.',
  } as const
  return fault(status, 'The form was not accepted', <p>{reasons[status]}</p>)
}

export function apiDownPage(): ShownPage {
  return fault(
    503,
    'The service cannot answer right now',
    <p>Nothing is lost. Load the page again in a moment.</p>,
    { 'retry-after': '2' },
  )
}

const NOT_FOUND = 404

/** A refusal of the API, in its own words. */
export function problemPage({ status, detail, requestId, retryAfterSeconds }: ApiProblem): ShownPage {
  if (status === NOT_FOUND) return missingPage()
  const headers = retryAfterSeconds === null ? {} : { 'retry-after': String(retryAfterSeconds) }
  return fault(
    status,
    titleOf(status),
    <>
      <p>{detail}</p>
      {retryAfterSeconds === null ? null : <p>Try again in {retryAfterSeconds} s.</p>}
      {requestId === null ? null : (
        <p class="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
    </>,
    headers,
  )
}

function titleOf(status: number): string {
  if (status === 401) return 'Sign in again'
  if (status === 403) return 'This is not allowed'
  if (status === 410) return 'The report is in an archive'
  if (status === 429) return 'Too many calls at once'
  return status >= 500 ? 'The service cannot answer right now' : 'The call was not accepted'
}

export function failedPage(requestId: string): ShownPage {
  return fault(
    500,
    'Something went wrong',
    <p>
      The page could not be shown. Quote request <code>{requestId}</code> when you report it.
    </p>,
  )
}
