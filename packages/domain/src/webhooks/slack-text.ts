/**
 * Messages as an incoming webhook of Slack takes them, `{"text": …}`; Mattermost and others take the same. They have no reference and no
 * name of the account: a channel has readers whom Cupel does not know. Pure.
 */
import { levelCounts } from './level-counts.js'
import { digestSentence } from './mail-text.js'
import type {
  ChangedReport,
  EndedItem,
  EndedJob,
  FailedWatch,
  ScreenedTransfer,
  WatchDigest,
} from './webhook-facts.js'

/** Changes of a digest that its message lists. */
const MAX_LISTED = 10

export function changeSlackBody(change: ChangedReport): string {
  const { address, chain, previous, current, why } = change
  const lines = [
    `*${plain(chain)}* \`${code(address)}\`: ${finding(previous)} → *${finding(current)}*`,
    splitText(change),
    plain(why),
    ...change.reasons.map(({ text }) => plain(text)),
    `Report ${plain(current.reportId)}`,
  ]
  return messageOf(lines)
}

export function digestSlackBody(digest: WatchDigest): string {
  const { day, changed, changes } = digest
  const listed = changes.slice(0, MAX_LISTED)
  const lines = [
    `*Watches on ${plain(day)}*: ${digestSentence(digest)}`,
    ...listed.map(
      ({ address, chain, previous, current }) =>
        `• *${plain(chain)}* \`${code(address)}\`: ${finding(previous)} → *${finding(current)}*`,
    ),
    changed > listed.length ? `and ${changed - listed.length} more` : '',
  ]
  return messageOf(lines)
}

export function failedSlackBody({ address, chain, failures }: FailedWatch): string {
  return messageOf([
    `*${plain(chain)}* \`${code(address)}\`: *the watch keeps failing*`,
    `${failures} screenings in a row ended without a whole report: its present level is not known`,
  ])
}

export function transferSlackBody({ transferId, transfer, error }: ScreenedTransfer): string {
  if (transfer === null)
    return messageOf([
      `*Transfer ${plain(transferId)}*: *it was not screened*`,
      plain(`${error?.code ?? ''}: ${error?.detail ?? ''}`),
    ])
  const { chain, direction, counterparty, amount, asset, recommendation, reasons } = transfer
  const side = direction === 'incoming' ? 'from' : 'to'
  return messageOf([
    `*${plain(chain)}* ${plain(amount)} ${plain(asset)} ${side} \`${code(counterparty)}\`: *${plain(recommendation)}*, ${finding(transfer)}`,
    ...reasons.map(plain),
    `Report ${plain(transferId)}`,
  ])
}

export function jobSlackBody(job: EndedJob, items: readonly EndedItem[], resultsUrl: string): string {
  const counts = levelCounts(job, items).map(plain)
  const lines = [
    `*Bulk job ${plain(job.jobId)}*: ${plain(job.status)}${job.livemode ? '' : ' (sandbox)'}`,
    `${job.completed} of ${job.total} have a report, ${job.failed} failed, ${job.cancelled} cancelled`,
    counts.join(', '),
    plain(resultsUrl),
  ]
  return messageOf(lines)
}

export const testSlackBody = (endpointId: string): string =>
  messageOf([`Cupel sends its messages here: endpoint ${plain(endpointId)}`])

const messageOf = (lines: readonly string[]): string =>
  JSON.stringify({ text: lines.filter((line) => line !== '').join('\n') })

/** Of an address that is not cleared the points are only those that are known: none is no finding. */
const finding = ({ level, score }: Pick<ChangedReport['current'], 'level' | 'score'>): string =>
  level !== 'grey' ? `${plain(level)} ${score}` : score === 0 ? 'not cleared' : `not cleared, ${score} known`

function splitText({ previous, current, split, splitMissing }: ChangedReport): string {
  const HUNDRED = 100
  const points = signed(Math.round((current.score - previous.score) * HUNDRED) / HUNDRED)
  if (split === null) return `${points} points, not split: ${plain(splitMissing ?? 'unknown')}`
  const parts = Object.entries(split).filter(([, one]) => one !== 0)
  const named = parts.map(([part, one]) => `${part === 'notExamined' ? 'not examined' : part} ${signed(one)}`)
  return named.length === 0 ? `${points} points` : `${points} points: ${named.join(', ')}`
}

const signed = (points: number): string => (points > 0 ? `+${points}` : `${points}`)

/** Slack takes these three for markup: with them escaped, no text mentions a channel or hides where a link goes. */
const plain = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** A backtick would end the code. */
const code = (text: string): string => plain(text).replaceAll('`', 'ʼ')
