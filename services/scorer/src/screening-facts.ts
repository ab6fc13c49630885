/** What was asked, in the words of the decision. Field by field: what a decision records never depends on what an event adds. */
import type { ScreenRequested } from '@cupel/contracts'
import type { ScreeningRequest } from '@cupel/domain'

export function screeningRequest(data: ScreenRequested): ScreeningRequest {
  return {
    reportId: data.reportId,
    accountId: data.accountId,
    livemode: data.livemode,
    address: data.address,
    canonicalAddress: data.canonicalAddress,
    chain: data.chain,
    candidateChains: data.candidateChains,
    customerReference: data.customerReference,
    reportUrl: data.reportUrl,
    jobId: data.jobId,
    jobIndex: data.jobIndex,
  }
}
