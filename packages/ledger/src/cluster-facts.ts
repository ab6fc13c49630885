/** Facts about the other addresses of a cluster: reads the cluster, then the labels of all its members at once. */
import { chainFactsOf, parseAddress, type ClusterFacts } from '@cupel/domain'
import type { Queryable } from '@cupel/postgres'
import { readCluster, type ClusterRequest } from './clusters.js'
import type { ExamineRequest } from './examine-request.js'

/**
 * The cluster of an address with every label of its other members, in the states of ledger and labels that the report names. Null on chains
 * without clusters, and for an address that never spent together with another one.
 */
export async function readClusterFacts(
  database: Queryable,
  { labelsOf, ...request }: ClusterRequest & Pick<ExamineRequest, 'labelsOf'>,
): Promise<ClusterFacts | null> {
  const { chain, ledgerSeq } = request
  if (chainFactsOf(chain)?.spendsTogether !== true) return null
  const cluster = await readCluster(database, request)
  if (cluster === null) return null
  const { clusterId, size, stopped } = cluster
  const own = lookupKeyOf(request.address, chain)
  const members = cluster.members
    .map((member) => ({ ...member, key: lookupKeyOf(member.address, chain) }))
    // Labels of its own key are its own, in full.
    .filter(({ key }) => key !== own)
  if (stopped === '' && members.length === 0) return null
  const labels = members.length === 0 ? null : await labelsOf([...new Set(members.map(({ key }) => key))])
  return {
    clusterId,
    size,
    ledgerSeq,
    stopped,
    labels: members.flatMap(({ address, txHash, key }) =>
      (labels?.get(key) ?? []).map((label) => ({ member: address, txHash, label })),
    ),
  }
}

/** A member without a key would hide its labels, so the cluster counts as not read. */
function lookupKeyOf(address: string, chain: string): string {
  const parsed = parseAddress(address, chain)
  if (!parsed.ok)
    throw new Error(`The ledger holds ${address}, which is not an address of ${chain}: ${parsed.reason}`)
  return parsed.lookupKey
}
