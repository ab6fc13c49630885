/** How an operator fills the ledger: no service may write its rows, so files come by command. */
import { visibleText } from '@cupel/reports/document'
import type { LedgerChain } from './ledger-answer.js'

/** The heights of the newest gap of the first kind that a chain needs and lacks; words if nothing was declared. */
function missingHeights({ kinds }: LedgerChain): readonly [string, string] {
  const gap = kinds.find((kind) => kind.needed && kind.gaps.length > 0)?.gaps.at(-1)
  return gap === undefined ? ['FIRST', 'LAST'] : [String(gap.from_height), String(gap.to_height)]
}

export function HowToImport({ chains }: { readonly chains: readonly LedgerChain[] }) {
  const lacking = chains.find(({ kinds }) => kinds.some(({ needed, gaps }) => needed && gaps.length > 0))
  const chain = lacking ?? chains[0]
  const [from, to] = chain === undefined ? ['FIRST', 'LAST'] : missingHeights(chain)
  return (
    <>
      <h2 id="import">Import</h2>
      <p>
        No service may write the ledger. An operator imports files by command, of whatever size; this page
        shows the progress.
      </p>
      <pre tabindex={0}>
        {`cupel ledger import FILE --chain ${visibleText(chain?.chain ?? 'CHAIN')} --complete-from ${from} --complete-to ${to}
cupel prices import FILE --reason "prices of May"`}
      </pre>
    </>
  )
}
