// An exchange decides what becomes of a deposit. Only a level that is known to be good is credited by itself; everything else waits
// for a person, a missing answer too.
//
//   node deposit-check.mjs ADDRESS [CHAIN]
import { pathToFileURL } from 'node:url'
import { ApiError, Cupel, CupelError } from '@cupel/sdk'

/**
 * @param {Cupel} cupel
 * @param {{ id: string, sender: string, chain?: string }} deposit
 * @returns {Promise<{ decision: 'credit' | 'hold' | 'reject', reason: string, reportId: string | null }>}
 */
export async function checkDeposit(cupel, { id, sender, chain }) {
  try {
    // One key for each deposit: whoever asks again, also after a crash, gets the same report.
    const report = await cupel.screen(sender, {
      chain,
      customerReference: id,
      idempotencyKey: `deposit-${id}`,
    })
    const { level, evidence } = report.risk
    const reason = evidence.find(({ decisive }) => decisive)?.entity ?? level
    const isWhole = !report.risk.score_is_lower_bound
    const decision = level === 'green' && isWhole ? 'credit' : level === 'red' ? 'reject' : 'hold'
    return { decision, reason, reportId: report.report_id }
  } catch (error) {
    // Nothing is known: a person looks at it. The report may come later, under the id that the error names.
    if (error instanceof CupelError)
      return {
        decision: 'hold',
        reason: error.message,
        reportId: error instanceof ApiError ? error.reportId : null,
      }
    throw error
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [sender, chain] = process.argv.slice(2)
  console.log(JSON.stringify(await checkDeposit(new Cupel(), { id: crypto.randomUUID(), sender, chain })))
}
