/** How an operator fills the ledger: no service may write its rows, so files come by command. */
import { visibleText } from '@cupel/reports/document'
import type { LedgerChain } from './ledger-answer.js'

/** The command for the newest gap of a kind that a chain needs, with words for what only the operator knows; and that for prices. */
export function importCommands(chains: readonly LedgerChain[]): readonly [string, string] {
  const newestGap = ({ kinds }: LedgerChain) =>
    kinds.find(({ needed, gaps }) => needed && gaps.length > 0)?.gaps.at(-1)
  const chain = chains.find((each) => newestGap(each) !== undefined) ?? chains[0]
  const gap = chain === undefined ? undefined : newestGap(chain)
  const range = `--complete-from ${gap?.from_height ?? 'FIRST'} --complete-to ${gap?.to_height ?? 'LAST'}`
  return [
    `cupel ledger import FILE --format FORMAT --chain ${visibleText(chain?.chain ?? 'CHAIN')} ${range}`,
    'cupel prices import FILE --reason "prices of May"',
  ]
}

export function HowToImport({ chains }: { readonly chains: readonly LedgerChain[] }) {
  return (
    <>
      <h2 id="import">Import</h2>
      <p>
        No service may write the ledger. An operator imports files by command, of whatever size; this page
        shows the progress.
      </p>
      <pre tabindex={0}>{importCommands(chains).join('\n')}</pre>
    </>
  )
}
