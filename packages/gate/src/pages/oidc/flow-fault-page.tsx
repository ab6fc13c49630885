/** The page of a failed sign-in: what went wrong, and what the person can do. */
import {
  type ApiProblem,
  type SignInFault,
  type SignInFaultKind,
  type SignInService,
  page,
  type ShownPage,
} from '@cupel/console'

interface Words {
  readonly status: number
  readonly title: string
  readonly text: (name: string) => string
}

const words: Readonly<Record<SignInFaultKind, Words>> = {
  unknown: {
    status: 400,
    title: 'This sign-in is not known',
    text: () =>
      'It took longer than ten minutes, was answered before, or began in another browser or under another address of this console.',
  },
  mismatch: {
    status: 400,
    title: 'This answer belongs to another sign-in',
    text: () =>
      'It does not answer the sign-in that this browser began last. That happens where two windows sign in at once.',
  },
  declined: {
    status: 403,
    title: 'You are not signed in',
    text: (name) => `${name} did not sign you in.`,
  },
  spent: {
    status: 400,
    title: 'The sign-in took too long',
    text: (name) => `${name} does not take this answer any more: it is too old, or was used before.`,
  },
  setup: {
    status: 502,
    title: 'The sign-in service is not set up for this console',
    text: (name) => `${name} does not accept this console. Tell the operator of this installation.`,
  },
  token: {
    status: 502,
    title: 'The answer of the sign-in service cannot be trusted',
    text: (name) =>
      `What ${name} states about you could not be verified. Tell the operator of this installation.`,
  },
  time: {
    status: 502,
    title: 'The clocks differ',
    text: (name) =>
      `The clocks of ${name} and of this service differ by more than a minute. Tell the operator of this installation.`,
  },
  down: {
    status: 503,
    title: 'The sign-in service does not answer',
    text: (name) => `${name} cannot be reached right now. Try again in a moment, or sign in with a key.`,
  },
}

export function flowFaultPage({ name }: SignInService, { kind, code }: SignInFault): ShownPage {
  const { status, title, text } = words[kind]
  return faultPage({ status, title, text: text(name), note: code === null ? null : `Code ${code}` })
}

/** The API refuses the person; the page shows the API's own words. */
export function refusedPersonPage(service: SignInService, problem: ApiProblem): ShownPage {
  const { status, detail, requestId, retryAfterSeconds } = problem
  const again = retryAfterSeconds === null ? '' : ` Try again in ${retryAfterSeconds} s.`
  const note = requestId === null ? null : `Request ${requestId}`
  const title = status === 503 ? words.down.title : 'You cannot sign in'
  return faultPage({ status, title, text: detail + again, note, another: service.name })
}

interface FaultProps {
  readonly status: number
  readonly title: string
  readonly text: string
  readonly note: string | null
  /** Name of the service that can ask who the person is. */
  readonly another?: string
}

const UNAVAILABLE = 503

function faultPage({ status, title, text, note, another }: FaultProps): ShownPage {
  const body = (
    <section class="fault">
      <h1>{title}</h1>
      <p>{text}</p>
      <p class="actions">
        <a class="button" href="/sign-in">
          To the sign-in
        </a>
        {another === undefined ? null : <a href="/sign-in/oidc?another">Sign in as somebody else</a>}
      </p>
      {note === null ? null : <p class="quiet">{note}</p>}
    </section>
  )
  return page(title, body, { status, headers: status === UNAVAILABLE ? { 'retry-after': '2' } : {} })
}
