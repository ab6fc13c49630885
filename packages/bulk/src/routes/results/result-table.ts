/** The results of a job as CSV (RFC 4180), made for spreadsheets: nothing in it can be taken for a formula. */
import { categories, type Report } from '@cupel/contracts'
import type { JobItem } from '../../read-model/index.js'
import {
  becauseOf,
  csvCell,
  en,
  historiesOf,
  judgedChains,
  nameOf,
  pointsText,
  reasonText,
} from '@cupel/reports/document'
import { reportOf } from './job-documents.js'

export const columns = [
  'number',
  'address',
  'status',
  'report_id',
  'chain',
  'level',
  'score',
  ...categories,
  'why',
  'level_reasons',
  'what_to_do',
  'score_is_lower_bound',
  'base',
  'factors',
  'capped_by',
  'weight',
  'points',
  'other_chains',
  'histories',
  'not_examined',
  'not_examined_means',
  'generated_at',
  'report_url',
  'error_code',
  'error_detail',
  'reference',
] as const
type Column = (typeof columns)[number]

export function resultTable(items: readonly JobItem[], reports: ReadonlyMap<string, string>): string {
  return TABLE_HEAD + resultRows(items, reports)
}

export const TABLE_HEAD = `${columns.join(',')}\r\n`

export function resultRows(items: readonly JobItem[], reports: ReadonlyMap<string, string>): string {
  return items
    .map((item) => {
      const cells = cellsOf(item, reports)
      return `${columns.map((column) => csvCell(cells[column])).join(',')}\r\n`
    })
    .join('')
}

export function cellsOf(
  item: JobItem,
  reports: ReadonlyMap<string, string>,
): Partial<Record<Column, string | number | undefined>> {
  const { index, address, reference, status } = item
  const common = { number: index + 1, address, status, reference }
  if (item.status === 'failed') return { ...common, error_code: item.code, error_detail: item.detail }
  if (item.status !== 'completed') return common
  const report = JSON.parse(reportOf(item, reports)) as Report
  return {
    ...common,
    report_id: report.report_id,
    chain: report.chain,
    level: report.risk.level,
    score: report.risk.score,
    ...report.risk.categories,
    why: becauseOf(report),
    level_reasons: report.risk.level_reasons.join(' '),
    what_to_do: report.risk.level_reasons.map((code) => reasonText(code)).join(' '),
    ...pointsOf(report),
    other_chains: judgedChains(report).join(' '),
    histories: historiesOf(report).join('; '),
    not_examined: report.coverage.not_examined.join(' '),
    not_examined_means: report.coverage.not_examined.map((code) => nameOf(en.notExamined, code)).join(' '),
    score_is_lower_bound: String(report.risk.score_is_lower_bound),
    generated_at: report.generated_at,
    report_url: report.report_url,
  } satisfies Record<Exclude<Column, 'error_code' | 'error_detail'>, string | number | undefined>
}

/** How the points of the item that decides the score come about. */
function pointsOf({
  risk,
}: Report): Record<'base' | 'factors' | 'capped_by' | 'weight' | 'points', string | number> {
  const item = risk.evidence.find(({ decisive, base }) => decisive && base !== null)
  if (item === undefined) return { base: '', factors: '', capped_by: '', weight: '', points: '' }
  return {
    base: item.base!,
    factors: item.factors.map(({ name, value }) => `${name}=${value}`).join(' '),
    capped_by: item.capped_by ?? '',
    weight: item.weight!,
    points: pointsText(item)!,
  }
}
