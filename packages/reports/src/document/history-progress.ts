/** How far the reading of a history is, as a sentence. */
import { en } from './strings.en.js'
import { nameOf, visibleText } from './writing.js'

/** As the API tells it. */
export interface HistoryProgress {
  readonly status: string
  readonly reason: string | null
  readonly provider: string | null
  readonly pages: number
  readonly pages_expected: number | null
  readonly waiting: number
}

export function historyProgressText(progress: HistoryProgress): string {
  const { status, reason, provider, pages, pages_expected: expected, waiting } = progress
  const { unknown, historyReasons } = en
  if (status === 'reading') {
    const others = waiting === 0 ? '' : ` ${unknown.historyOthers(waiting)}`
    return `${unknown.historyPages(pages, expected)}${others}`
  }
  if (status === 'failed')
    return unknown.historyFailed(
      visibleText(nameOf(historyReasons, reason ?? status)),
      provider === null ? null : visibleText(provider),
    )
  return status === 'read' ? unknown.historyRead : unknown.historyStopped
}
