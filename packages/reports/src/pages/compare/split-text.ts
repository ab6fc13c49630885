/** The split of a change of the score by cause, in words. */
import { visibleText } from '../../document/index.js'

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

/** With its sign. */
export const pointsText = (points: number): string =>
  points < 0 ? `−${Math.abs(points)}` : points > 0 ? `+${points}` : '0'
