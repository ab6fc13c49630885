/** What an entry of the inbox says, in words. */
import { dispositionText, visibleText } from '@cupel/reports/document'
import type { InboxEntry } from '@cupel/console'
import { missingText, pointsText, splitText } from '@cupel/reports/pages'

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
