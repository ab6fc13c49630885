/** The least amount of an asset that says something, by the contract under which amounts are added up. */
import { listAssets, measuredAs } from './asset-table.js'

let known: ReadonlyMap<string, bigint> | null = null

/** Base units of the measured asset; 0 for one that the table does not have, so that nothing of it is left out. */
export const dustOf = (chain: string, measuredContract: string): bigint =>
  dusts().get(`${chain} ${measuredContract}`) ?? 0n

/** Whether amounts of the contract are those of an asset in the table. */
export const isMeasured = (chain: string, measuredContract: string): boolean =>
  dusts().has(`${chain} ${measuredContract}`)

function dusts(): ReadonlyMap<string, bigint> {
  known ??= new Map(
    listAssets().map((asset) => {
      const { contract, dust } = measuredAs(asset)
      return [`${asset.chain} ${contract}`, dust]
    }),
  )
  return known
}
