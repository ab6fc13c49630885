/** What an entry of the inbox says, in words. */
import { dispositionText, visibleText } from '@cupel/report-document'
import type { InboxEntry } from '../../api/inbox-answers.js'

/** The parts of a split, in the order in which they are exchanged. */
export const PARTS: readonly (readonly [part: string, word: string])[] = [
  ['labels', 'labels'],
  ['funds', 'funds'],
  ['policy', 'policy'],
  ['scorer', 'scorer'],
  ['time', 'time'],
  ['not_examined', 'not examined'],
]

const missing: Readonly<Record<string, string>> = {
  busy: 'The points are not split: too many changes came at once.',
  unreadable: 'The points are not split: one of the reports cannot be read.',
  refused: 'The points are not split: a report does not follow from its record.',
}

const kinds: Readonly<Record<string, string>> = {
  report_changed: 'Changed',
  proposal_waiting: 'Waits for a second person',
  watch_failed: 'Watch fails',
}

export const kindText = (kind: string): string => kinds[kind] ?? visibleText(kind)

/** `+81 points: labels +84, funds −3`; null if the entry is no change. */
export function changeText({ previous, current, split, split_missing }: InboxEntry): string | null {
  if (previous === null || current === null) return null
  const difference = `${pointsText(differenceOf(previous.score, current.score))} points`
  if (split === null) return `${difference}. ${missingText(split_missing)}`
  const parts = splitText(split)
  return parts === '' ? difference : `${difference}: ${parts}`
}

/** Why the points of a change are not split. */
export const missingText = (code: string | null): string => missing[code ?? ''] ?? 'The points are not split.'

/** `labels +84, funds −3`; empty if no part has points. */
export function splitText(split: Readonly<Record<string, number>>): string {
  const known = PARTS.map(([part, word]) => [word, split[part] ?? 0] as const)
  const others = Object.entries(split)
    .filter(([part]) => !PARTS.some(([known]) => known === part))
    .map(([part, points]) => [visibleText(part), points] as const)
  const parts = [...known, ...others].filter(([, points]) => points !== 0)
  return parts.map(([word, points]) => `${word} ${pointsText(points)}`).join(', ')
}

/** What the entry says besides its level; the reasons of a grey report have their remedies. */
export function reasonTexts(entry: InboxEntry): readonly string[] {
  const { kind, why, reasons, disposition, failures } = entry
  if (kind === 'proposal_waiting')
    return [`“${dispositionText(disposition ?? '')}” was proposed: another person confirms or refuses it.`]
  if (kind === 'watch_failed')
    return [
      `${failures ?? 'Several'} screenings in a row ended without a whole report. The last report stays, and Cupel tries again.`,
    ]
  return [why ?? '', ...reasons.map(({ text }) => text)].filter((text) => text !== '').map(visibleText)
}

const HUNDRED = 100
const differenceOf = (from: number, to: number): number => Math.round((to - from) * HUNDRED) / HUNDRED

/** With its sign. */
export const pointsText = (points: number): string =>
  points < 0 ? `−${Math.abs(points)}` : points > 0 ? `+${points}` : '0'
