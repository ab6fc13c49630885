/** GET /ledger: what the ledger holds of each chain, what is missing, and the prices. */
import { visibleText } from '@cupel/reports/document'
import { Moment, Notice, ScrollTable, page, type ListPage, type Page } from '@cupel/console'
import { ImportTable } from './import-table.js'
import type { LedgerChain, LedgerImport, LedgerKind, LedgerState } from './ledger-answer.js'
import { ageText, followerText, heightsText, kindFaults, kindName, number } from './ledger-words.js'
import { HowToImport } from './how-to-import.js'
import { RangeBar } from './range-bar.js'

export const showLedger: Page = {
  method: 'GET',
  path: '/ledger',
  access: 'session',
  async handle({ api, query }) {
    const [ledger, imports] = await Promise.all([
      api.get<LedgerState>('/v1/ledger', {}),
      api.get<ListPage<LedgerImport>>('/v1/ledger/imports', { page_token: query.get('page_token') }),
    ])
    return page(
      'Ledger',
      <>
        <h1>Ledger</h1>
        <p class="quiet">
          What the exposure of an address is measured from, as it was at{' '}
          <Moment at={ledger.looked_at} withSeconds />. A history is complete only where each kind that its
          chain needs is declared from the first block on, without a gap, to within{' '}
          {number(ledger.max_age_hours)} hours.
        </p>
        <Standing ledger={ledger} />
        {ledger.chains.map((one) => (
          <Chain key={one.chain} chain={one} ledger={ledger} />
        ))}
        <Followers ledger={ledger} />
        <Histories ledger={ledger} />
        <Prices prices={ledger.prices} />
        <HowToImport chains={ledger.chains} />
        <ImportTable query={query} items={imports.items} next={imports.next_page_token} />
      </>,
      { section: '/ledger' },
    )
  },
}

/** Everything that keeps a history from being complete, and everything that nobody knows. */
function Standing({ ledger }: { readonly ledger: LedgerState }) {
  const { chains, followers, max_age_hours: maxAgeHours, prices } = ledger
  const found = [
    ...chains.flatMap((chain) => chainFaults(chain)),
    ...followers.flatMap((one) => followerText(one, maxAgeHours) ?? []),
    ...priceFaults(prices),
  ]
  if (chains.length === 0)
    return <Notice kind="fault">No ledger was imported yet, so no report can follow money.</Notice>
  if (found.length === 0 && !chains.some(hasFiles)) return <Notice kind="hint">{NO_FILE}</Notice>
  if (found.length === 0)
    return (
      <Notice kind="done">
        Every chain of which files were imported is declared whole, and nothing is too old.
      </Notice>
    )
  return (
    <Notice kind="fault">
      <strong>Something is missing or too old.</strong>
      <ul>
        {found.map((text) => (
          <li key={text}>{visibleText(text)}</li>
        ))}
      </ul>
    </Notice>
  )
}

function priceFaults(prices: LedgerState['prices']): string[] {
  if (prices === null) return [NO_PRICES]
  const { last_day: lastDay, unpriced_days: unpriced, early_ends: ends } = prices
  return [
    ...(unpriced === 0
      ? []
      : [`The prices end on ${lastDay}: what moved on ${days(unpriced)} since has no value in US dollars.`]),
    ...ends.map(
      ({ asset, last_day: last }) =>
        `The prices of ${asset} end on ${last}: what moved of it since has no value in US dollars.`,
    ),
  ]
}

const NO_FILE = 'No file was imported: only what providers said of single addresses is known.'
const NO_PRICES = 'No prices were imported, so no amount has a value in US dollars.'

const days = (count: number): string => (count === 1 ? '1 day' : `${number(count)} days`)

/** Where no file was imported, providers said what is known of single addresses: no range is expected. */
const hasFiles = ({ imports, open_imports: open }: LedgerChain): boolean => imports > 0 || open > 0

function chainFaults(one: LedgerChain): string[] {
  const { chain, kinds, open_imports: open, outdated_imports: outdated } = one
  const needed = kinds.filter((kind) => hasFiles(one) && kind.needed && kind.faults.length > 0)
  return [
    ...needed.map((kind) => `${chain}, ${kindName(kind.kind)}: ${kindFaults(kind).join(', ')}.`),
    ...(open === 0
      ? []
      : [`${chain}: ${open === 1 ? '1 import is' : `${number(open)} imports are`} not complete.`]),
    ...(outdated === 0
      ? []
      : [
          `${chain}: ${number(outdated)} ${outdated === 1 ? 'file was' : 'files were'} read with another table of assets, and may lack transfers that count now.`,
        ]),
  ]
}

function Chain({ chain: one, ledger }: { readonly chain: LedgerChain; readonly ledger: LedgerState }) {
  const { chain, kinds, last_height: lastHeight, imports, transfers, imported_at: importedAt } = one
  const heads = ledger.followers.filter((follower) => follower.chain === chain)
  const last = Math.max(
    lastHeight ?? 0,
    ...heads.map(({ head_height: head }) => head ?? 0),
    ...kinds.flatMap(({ ranges }) => ranges.map(({ to_height: to }) => to)),
  )
  return (
    <section aria-label={chain}>
      <h2>{visibleText(chain)}</h2>
      <p class="quiet">
        {hasFiles(one) ? (
          <>
            {number(transfers)} transfers of {number(imports)} {imports === 1 ? 'file' : 'files'}, up to
            height {lastHeight === null ? 'not known' : number(lastHeight)}; last imported{' '}
            <Moment at={importedAt} otherwise="never" />.
          </>
        ) : (
          NO_FILE
        )}
      </p>
      <ScrollTable
        caption={`Declared heights of ${chain}`}
        class="stacked ranges"
        head={['Kind', 'State', 'Heights', 'Declared', 'Missing', 'Up to']}
      >
        {kinds.map((kind) => (
          <KindRow key={kind.kind} kind={kind} last={last} isExpected={hasFiles(one) && kind.needed} />
        ))}
      </ScrollTable>
    </section>
  )
}

interface KindRowProps {
  readonly kind: LedgerKind
  readonly last: number
  /** Whether it is a fault if the kind is not whole. */
  readonly isExpected: boolean
}

function KindRow({ kind, last, isExpected }: KindRowProps) {
  const { ranges, ranges_omitted: omitted, gaps, gaps_omitted: gapsOmitted } = kind
  const faults = kindFaults(kind)
  const isBad = faults.length > 0 && isExpected
  return (
    <tr>
      <th scope="row">
        {kindName(kind.kind)} {kind.needed ? null : <span class="tag">not needed</span>}
      </th>
      <td data-head="State">
        <span class={`list-state list-state-${isBad ? 'bad' : faults.length === 0 ? 'good' : 'other'}`}>
          <span class="sign" aria-hidden="true">
            {faults.length === 0 ? '✓' : '!'}
          </span>{' '}
          {faults.length === 0 ? 'whole' : faults.join(', ')}
        </span>
      </td>
      <td class="bar-cell">
        <RangeBar kind={kind} last={last} />
      </td>
      <td data-head="Declared">
        {heightsText(ranges)}
        {omitted === 0 ? null : ` and ${number(omitted)} earlier`}
      </td>
      <td data-head="Missing">
        {heightsText(gaps)}
        {gapsOmitted === 0 ? null : ` and ${number(gapsOmitted)} earlier`}
      </td>
      <td data-head="Up to">
        <Moment at={ranges.at(-1)?.to_at ?? null} otherwise="not known" />
      </td>
    </tr>
  )
}

function Followers({ ledger: { followers, max_age_hours: maxAgeHours } }: { readonly ledger: LedgerState }) {
  if (followers.length === 0) return null
  return (
    <>
      <h2>Followers of nodes</h2>
      <ScrollTable
        caption="Followers of nodes"
        class="stacked"
        head={[
          'Chain',
          'State',
          { number: 'Next height' },
          { number: 'Node' },
          { number: 'Behind' },
          'Last block',
        ]}
      >
        {followers.map((one) => {
          const fault = followerText(one, maxAgeHours)
          return (
            <tr key={one.chain}>
              <th scope="row">{visibleText(one.chain)}</th>
              <td data-head="State">
                <span class={`list-state list-state-${fault === null ? 'good' : 'bad'}`}>
                  {fault === null ? '✓ follows' : '! stopped or behind'}
                </span>{' '}
                {fault === null ? null : visibleText(fault)}
              </td>
              <td class="number" data-head="Next height">
                {number(one.next_height)}
              </td>
              <td class="number" data-head="Node">
                {one.head_height === null ? 'not known' : number(one.head_height)}
              </td>
              <td class="number" data-head="Behind">
                {one.lag_blocks === null ? 'not known' : `${number(one.lag_blocks)} blocks`}
              </td>
              <td data-head="Last block">{one.lag_s === null ? 'not known' : `${ageText(one.lag_s)} ago`}</td>
            </tr>
          )
        })}
      </ScrollTable>
    </>
  )
}

function Histories({ ledger: { providers, readings } }: { readonly ledger: LedgerState }) {
  if (providers.length === 0) return null
  return (
    <>
      <h2>Histories</h2>
      <p>
        In the last day {number(readings.read)} histories were read, {number(readings.failed)} failed or were
        given up, and {number(readings.reading)} are being read.
      </p>
      <ScrollTable
        caption="Providers of histories"
        head={['Provider', { number: 'Calls today, UTC' }, 'Last call']}
      >
        {providers.map(({ provider, calls_today: calls, last_day: day }) => (
          <tr key={provider}>
            <th scope="row">{visibleText(provider)}</th>
            <td class="number">{number(calls)}</td>
            <td>
              <Moment at={day} />
            </td>
          </tr>
        ))}
      </ScrollTable>
    </>
  )
}

function Prices({ prices }: Pick<LedgerState, 'prices'>) {
  return (
    <>
      <h2>Prices</h2>
      {prices === null ? (
        <p class="empty">{NO_PRICES}</p>
      ) : (
        <ScrollTable
          caption="Prices in force"
          class="stacked"
          head={['File', { number: 'Prices' }, 'Assets', 'From', 'To', 'Age', 'Imported', 'By']}
        >
          <tr>
            <th scope="row" dir="auto">
              {visibleText(prices.file_name)}
            </th>
            <td class="number" data-head="Prices">
              {number(prices.prices)}
            </td>
            <td data-head="Assets">{prices.assets.map(visibleText).join(', ')}</td>
            <td data-head="From">
              <Moment at={prices.first_day} />
            </td>
            <td data-head="To">
              <Moment at={prices.last_day} />
            </td>
            <td data-head="Age">
              <PricesAge prices={prices} />
            </td>
            <td data-head="Imported">
              <Moment at={prices.imported_at} />
            </td>
            <td data-head="By" dir="auto">
              {visibleText(prices.imported_by)}
            </td>
          </tr>
        </ScrollTable>
      )}
    </>
  )
}

function PricesAge({ prices }: { readonly prices: NonNullable<LedgerState['prices']> }) {
  const { unpriced_days: unpriced, early_ends: ends } = prices
  const isWhole = unpriced === 0 && ends.length === 0
  return (
    <span class={`list-state list-state-${isWhole ? 'good' : 'bad'}`}>
      {isWhole
        ? '✓ up to date'
        : unpriced > 0
          ? `! ${days(unpriced)} without prices`
          : `! prices of ${number(ends.length)} assets end earlier`}
    </span>
  )
}
