/** The own labels of the accounts that a batch of requests is decided for. */
import { parseAddress, type LabelFacts } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { readOwnLabels, type OwnLabelQuestion } from '@cupel/labels/read-model'
import type { ChainRequest } from './candidates.js'

/** Those in force for each request: they count from their commit on. Rejects where they cannot be read, so that no decision lacks them. */
export async function ownLabelsFor(
  database: Queryable,
  requests: readonly ChainRequest[],
): Promise<(request: ChainRequest) => readonly LabelFacts[]> {
  const labelsOf = await readOwnLabels(database, requests.flatMap(questionOf), 'in-force')
  return (request) => questionOf(request).flatMap((one) => labelsOf(one).map(({ facts }) => facts))
}

/** None where the address has no key: the request is refused. */
function questionOf({ data, lookupKey }: ChainRequest): readonly OwnLabelQuestion[] {
  const { accountId, livemode, canonicalAddress, chain } = data
  if (lookupKey !== undefined) return [{ accountId, livemode, lookupKey }]
  const parsed = parseAddress(canonicalAddress, chain)
  return parsed.ok ? [{ accountId, livemode, lookupKey: parsed.lookupKey }] : []
}
