/** A screening as of a past moment for a person: first that it is no report, then the contents of a report of that moment. */
import type { Report } from '@cupel/contracts'
import { printable, type Paint } from '@cupel/command-line'
import { reportText } from './report-text.js'

/** The answer of the API to a screen with `as_of`. */
export interface AsOfAnswer {
  readonly as_of: string
  readonly lists: { readonly label_snapshot: string; readonly as_of: string }
  readonly policy: { readonly activated_at: string | null }
  readonly ledger_snapshot: string | null
  readonly left_out: readonly string[]
  readonly report: Omit<Report, 'report_id' | 'report_url'>
}

/** Without a line break at its end. */
export function asOfText(answer: AsOfAnswer, paint: Paint): string {
  const { as_of: asOf, lists, policy, ledger_snapshot: ledger, left_out: leftOut, report } = answer
  const since = policy.activated_at === null ? '' : `, in force since ${policy.activated_at}`
  return [
    paint('bold', `As of ${asOf}. This is not a report: nothing was stored.`),
    '',
    reportText({ ...report, report_id: '', report_url: '' }, paint),
    '',
    paint('dim', `Lists of that moment: state ${lists.label_snapshot}, the newest published ${lists.as_of}`),
    paint('dim', `Policy ${printable(report.policy.id)} ${report.policy.version}${since}`),
    paint('dim', ledger === null ? 'There was no ledger' : `Ledger of that moment: state ${ledger}`),
    ...(leftOut.includes('chain_data')
      ? [paint('dim', 'Providers of chain data cannot be asked about the past: what they said is left out')]
      : []),
  ].join('\n')
}
