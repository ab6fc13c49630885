/** Examines an address of the demo on the ledger of the demo, as a real one on the ledger of its chain. */
import type { ExposureRecord } from '@cupel/contracts'
import { demoNeighbourhood, measureInSteps, type TextHash } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { createAttributions } from './attributions.js'
import type { ExamineRequest } from './examine-request.js'
import { paced, type Pace } from './pace.js'

export async function examineDemo(
  database: Queryable,
  request: ExamineRequest,
  { pace, textHash }: { readonly pace: Pace; readonly textHash: TextHash },
): Promise<ExposureRecord> {
  const { address, ledgerSeq, policy, generatedAt, prices = null } = request
  const neighbourhood = demoNeighbourhood(address, generatedAt)
  const attributions = createAttributions(database, request, pace)
  await attributions.learnThese(neighbourhood.transfers.flatMap(({ from, to }) => [from, to]))
  const measuring = measureInSteps(
    { ...neighbourhood, ledgerSeq, prices },
    { attributionOf: attributions.of, generatedAt, policy, textHash },
  )
  return await paced(measuring, pace)
}
