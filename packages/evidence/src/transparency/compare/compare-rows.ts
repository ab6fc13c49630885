/** Compares the rows beside the leaves with the tree that the leaves make: proofs and tiles are made from these rows. Rows of leaves before the first are left out. */
import type { Database } from '@cupel/postgres'
import { TILE_WIDTH } from '../format/tiles.js'
import type { Findings } from './findings.js'
import { firstSubtree, leavesBelow, type GrownTree } from './grown-tree.js'
import type { TreeOfRows } from './signed-trees.js'
import { rowsBehindTree, subtreesOfRows } from './stored-leaves.js'

export async function compareRows(
  database: Database,
  { stored, tree, findings }: TreeOfRows & { readonly tree: GrownTree; readonly findings: Findings },
): Promise<void> {
  const whole = tree.whole()
  // A leaf that is gone is reported by itself.
  if (whole?.size === stored.size && !Buffer.concat([...whole.peaks]).equals(stored.peaks))
    findings.fault('The peaks of the tree in the database are not those of its leaves.')
  const known = await subtreesOfRows(database, stored.number, { from: tree.from, to: tree.size() })
  for (const [level, hashes] of tree.subtrees().entries())
    for (const [at, hash] of hashes.entries()) {
      const index = firstSubtree(tree.from, level) + at
      if (known.get(`${level}/${index}`)?.equals(hash) !== true)
        findings.fault(
          `The hash of the leaves ${leavesBelow(level, index)} in the database is not the one of these leaves, or is gone.`,
          index * TILE_WIDTH ** level,
        )
    }
  for (const row of await rowsBehindTree(database, stored.number))
    findings.fault(`The database has a row outside of its tree: ${row}.`)
}
