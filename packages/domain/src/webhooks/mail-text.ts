/**
 * Messages as e-mail: a subject and paragraphs, stored as JSON. Like those for Slack they have no reference and no name of the account. The
 * links that belong to one recipient are added when a message is sent. Pure.
 */
import type {
  ChangedReport,
  EndedItem,
  EndedJob,
  FailedWatch,
  ScreenedTransfer,
  WatchDigest,
} from './webhook-facts.js'
import { levelCounts } from './level-counts.js'

/** What the texts of an installation have in common. */
export interface MailStyle {
  /** The prefix of a report id that gives the URL of its page. */
  readonly reportPageUrl: string
  /** Address of the console, without a slash at the end; null without one. */
  readonly consoleUrl: string | null
  /** Whether a subject names an address in full; else by its ends. */
  readonly isAddressInSubject: boolean
  /** Of the message; live where it is absent. */
  readonly isSandbox?: boolean
}

export interface MailParagraph {
  readonly text: string
  readonly url?: string
  /** Its link confirms the recipient. */
  readonly isConfirmation?: true
}

/** A message without the links of its recipient. */
export interface MailMessage {
  readonly subject: string
  readonly paragraphs: readonly MailParagraph[]
}

export interface MailParts {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Changes and failing watches of a digest that its message lists. */
const MAX_LISTED = 25
const MAX_SUBJECT_CHARACTERS = 120
/** Characters at each end of a shortened address. */
const END_CHARACTERS = 6

export function changeMailBody(change: ChangedReport, style: MailStyle): string {
  const { address, chain, previous, current, why } = change
  const named = style.isAddressInSubject ? address : shortened(address)
  return bodyOf(
    `${chain} ${named}: ${wordOf(current.level)}, before ${wordOf(previous.level)}`,
    [
      { text: `The report of a watched address changed: ${address} (${chain}).` },
      { text: `Before: ${finding(previous)}. Now: ${finding(current)}.` },
      ...(why === '' ? [] : [{ text: `Why: ${why}` }]),
      ...change.reasons.map(({ text }) => ({ text })),
      { text: splitText(change) },
      { text: 'The report', url: style.reportPageUrl + current.reportId },
    ],
    style,
  )
}

export function failedMailBody(failed: FailedWatch, style: MailStyle): string {
  const { address, chain, failures } = failed
  const named = style.isAddressInSubject ? address : shortened(address)
  return bodyOf(
    `${chain} ${named}: the watch keeps failing`,
    [
      { text: `A watched address cannot be screened: ${address} (${chain}).` },
      {
        text: `${failures} screenings in a row ended without a whole report. Its present level is not known: do not take its last report for unchanged.`,
      },
      ...consolePage(style, 'Watches', '/watches'),
    ],
    style,
  )
}

export function transferMailBody(screened: ScreenedTransfer, style: MailStyle): string {
  const { transferId, transfer, error } = screened
  if (transfer === null)
    return bodyOf(
      `transfer ${transferId} was not screened`,
      [
        { text: `The transfer ${transferId} was not screened: ${error?.code ?? ''}.` },
        { text: error?.detail ?? '' },
        ...consolePage(style, 'Transfers', '/transfers'),
      ],
      style,
    )
  const { chain, direction, counterparty, amount, asset, recommendation, reasons } = transfer
  const named = style.isAddressInSubject ? counterparty : shortened(counterparty)
  const side = direction === 'incoming' ? 'from' : 'to'
  return bodyOf(
    `${recommendation}: a transfer ${side} ${named} (${chain})`,
    [
      { text: `${amount} ${asset} ${side} ${counterparty} (${chain}): ${recommendation}.` },
      { text: `The counterparty: ${finding(transfer)}.` },
      ...reasons.map((text) => ({ text })),
      { text: 'The report', url: style.reportPageUrl + transferId },
    ],
    style,
  )
}

export function digestMailBody(digest: WatchDigest, style: MailStyle): string {
  const { day, watched, changed, changes, failures } = digest
  const listed = changes.slice(0, MAX_LISTED)
  const notKnown = digest.undecided + digest.unknown
  const open = notKnown === 0 ? '' : `, ${notKnown} not known`
  return bodyOf(
    `Watches on ${day}: ${changed} of ${watched} changed${open}`,
    [
      { text: digestSentence(digest) },
      ...listed.map(({ address, chain, previous, current }) => ({
        text: `${address} (${chain}): ${finding(previous)} before, now ${finding(current)}`,
        url: style.reportPageUrl + current.reportId,
      })),
      ...(changed > listed.length ? [{ text: `${changed - listed.length} further addresses changed.` }] : []),
      ...failures.slice(0, MAX_LISTED).map(({ address, chain, failures: count }) => ({
        text: `${address} (${chain}): ${count} screenings in a row without a whole report, so that its present level is not known`,
      })),
      ...(digest.failing > Math.min(failures.length, MAX_LISTED)
        ? [{ text: `${digest.failing} watches keep failing in all.` }]
        : []),
      ...consolePage(style, 'Watches', '/watches'),
    ],
    style,
  )
}

/** The counts in a sentence: what is not known is never said to be unchanged. */
export function digestSentence(digest: WatchDigest): string {
  const { watched, changed, unchanged, undecided, unknown, failing } = digest
  const parts = [
    `${watched} addresses are watched: ${changed} changed, ${unchanged} did not.`,
    undecided === 0 ? '' : `${undecided} have no report yet.`,
    unknown === 0
      ? ''
      : `Of ${unknown} the present state is not known, because the last screening failed or a new one has not ended: they do not count as unchanged.`,
    failing === 0 ? '' : `${failing} keep failing.`,
  ]
  return parts.filter((part) => part !== '').join(' ')
}

export function jobMailBody(job: EndedJob, items: readonly EndedItem[], style: MailStyle): string {
  const counts = levelCounts(job, items).join(', ')
  return bodyOf(
    `Bulk job ${job.jobId}: ${job.status.replaceAll('_', ' ')}`,
    [
      { text: `The bulk job ${job.jobId} ended: ${job.status.replaceAll('_', ' ')}.` },
      {
        text: `${job.completed} of ${job.total} addresses have a report, ${job.failed} failed, ${job.cancelled} were cancelled.`,
      },
      ...(counts === '' ? [] : [{ text: `Levels: ${counts}.` }]),
      ...consolePage(style, 'The results', `/bulk/${job.jobId}`),
    ],
    { isSandbox: !job.livemode },
  )
}

/** The first message to a recipient asks for a confirmation; a later test message only says that it arrived. */
export function testMailBody(isConfirmed: boolean): string {
  if (isConfirmed)
    return bodyOf('Test message', [{ text: 'This test message shows that e-mail of Cupel arrives here.' }])
  return bodyOf('Confirm this address', [
    {
      text: 'Somebody asked that Cupel, a service that screens cryptocurrency addresses, sends its messages to this e-mail address.',
    },
    {
      text: 'Nothing is sent here until you confirm it. If you did not expect this message, do nothing.',
    },
    { text: 'Confirm it within seven days', isConfirmation: true },
  ])
}

/** Throws if the text is no message that this package stored. */
export function readMailMessage(body: string): MailMessage {
  const { subject, paragraphs } = JSON.parse(body) as Partial<MailMessage>
  if (typeof subject !== 'string' || !Array.isArray(paragraphs)) throw new TypeError('No message of e-mail')
  return { subject, paragraphs: paragraphs as readonly MailParagraph[] }
}

/** `unsubscribeUrl`: null where the message asks for the confirmation that `confirmUrl` leads to. */
export function mailParts(
  { subject, paragraphs }: MailMessage,
  links: { readonly confirmUrl: string; readonly unsubscribeUrl: string | null },
): MailParts {
  const linked = paragraphs.map(({ text, url, isConfirmation }) => ({
    text: plain(text),
    url: isConfirmation === true ? links.confirmUrl : url,
  }))
  const foot =
    links.unsubscribeUrl === null
      ? []
      : [{ text: 'Stop these messages, without signing in', url: links.unsubscribeUrl }]
  const all = [...linked, ...foot]
  return {
    subject: subjectOf(subject),
    text: `${all.map(({ text, url }) => (url === undefined ? text : `${text}:\n${url}`)).join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escaped(subjectOf(subject))}</title></head><body>\n${all
      .map(({ text, url }) =>
        url === undefined
          ? `<p>${escaped(text)}</p>`
          : `<p><a href="${escaped(url)}">${escaped(text)}</a></p>`,
      )
      .join('\n')}\n</body></html>\n`,
  }
}

const bodyOf = (
  subject: string,
  paragraphs: readonly MailParagraph[],
  { isSandbox = false }: Pick<MailStyle, 'isSandbox'> = {},
): string =>
  JSON.stringify({
    subject: subjectOf(`Cupel${isSandbox ? ' (sandbox)' : ''}: ${subject}`),
    paragraphs,
  } satisfies MailMessage)

const consolePage = ({ consoleUrl }: MailStyle, text: string, path: string): MailParagraph[] =>
  consoleUrl === null ? [] : [{ text, url: consoleUrl + path }]

const wordOf = (level: string): string => (level === 'grey' ? 'not cleared' : level)

/** Of an address that is not cleared the points are only those that are known: none is no finding. */
const finding = ({ level, score }: Pick<ChangedReport['current'], 'level' | 'score'>): string =>
  level !== 'grey' ? `${level} ${score}` : score === 0 ? 'not cleared' : `not cleared, ${score} known`

const shortened = (address: string): string =>
  address.length <= 2 * END_CHARACTERS + 1
    ? address
    : `${address.slice(0, END_CHARACTERS)}…${address.slice(-END_CHARACTERS)}`

function splitText({ previous, current, split, splitMissing }: ChangedReport): string {
  const HUNDRED = 100
  const points = signed(Math.round((current.score - previous.score) * HUNDRED) / HUNDRED)
  if (split === null) return `${points} points, not split among causes: ${splitMissing ?? 'unknown'}.`
  const parts = Object.entries(split)
    .filter(([, one]) => one !== 0)
    .map(([part, one]) => `${part === 'notExamined' ? 'not examined' : part} ${signed(one)}`)
  return parts.length === 0 ? `${points} points.` : `${points} points: ${parts.join(', ')}.`
}

const signed = (points: number): string => (points > 0 ? `+${points}` : `${points}`)

/** Control and format characters, line ends too: none of them reaches a header, and no text turns the direction of another one. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu
const plain = (text: string): string => text.replace(UNSEEN, ' ')

function subjectOf(text: string): string {
  const characters = [...plain(text).trim()]
  return characters.length <= MAX_SUBJECT_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, MAX_SUBJECT_CHARACTERS - 1).join('')}…`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!)
