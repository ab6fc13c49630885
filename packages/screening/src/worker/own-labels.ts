/** The own labels of the accounts that a batch of requests is decided for. */
import { parseAddress, type LabelFacts } from '@cupel/domain'
import { ownLabelsOf, type LabelSnapshot, type OwnLabelQuestion } from '@cupel/labels/read-model'
import type { ChainRequest } from './candidates.js'

export const ownQuestions = (requests: readonly ChainRequest[]): readonly OwnLabelQuestion[] =>
  requests.flatMap(questionOf)

/** Those in force for each request of `ownQuestions`: they count from their commit on. */
export function ownLabelsFor({
  own,
}: Pick<LabelSnapshot, 'own'>): (request: ChainRequest) => readonly LabelFacts[] {
  const labelsOf = ownLabelsOf(own)
  return (request) => questionOf(request).flatMap((one) => labelsOf(one).map(({ facts }) => facts))
}

/** None where the address has no key: the request is refused. */
function questionOf({ data, lookupKey }: ChainRequest): readonly OwnLabelQuestion[] {
  const { accountId, livemode, canonicalAddress, chain } = data
  if (lookupKey !== undefined) return [{ accountId, livemode, lookupKey }]
  const parsed = parseAddress(canonicalAddress, chain)
  return parsed.ok ? [{ accountId, livemode, lookupKey: parsed.lookupKey }] : []
}
