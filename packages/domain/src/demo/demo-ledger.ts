/**
 * The ledger of the demo: made-up transfers between addresses that nobody can own. It is believed for these addresses only, and only while
 * the labels of the demo are in force; no ledger of a chain contains any of it. `data/demo/labels.csv` has the labels.
 */
import {
  DEMO_SOURCE,
  type DeclaredRange,
  type LabelFacts,
  type LabelSetFacts,
  type Neighbourhood,
  type Transfer,
} from '../scorer/index.js'

const CHAIN = 'ETH'
const ADDRESS_DIGITS = 40
const HASH_DIGITS = 64

/** So regular an address has no key that anybody could find. */
const made = (digits: number, number: number): string =>
  `decade${number.toString(16).padStart(digits - 'decade'.length, '0')}`
const address = (number: number): string => `0x${made(ADDRESS_DIGITS, number)}`

const CUSTOMER = address(1)
const EXCHANGE = address(2)
const MIXER = address(3)
const BETWEEN = address(4)
const MARKET = address(5)
const SHOP = address(6)
const SAVER = address(7)

/** Canonical addresses, each with what a reader learns from its report; those to begin with first. */
export const demoAddresses: readonly { readonly address: string; readonly title: string }[] = [
  { address: CUSTOMER, title: 'Demo: a customer with money from a mixer' },
  { address: SAVER, title: 'Demo: a customer with money from an exchange' },
  { address: EXCHANGE, title: 'Demo: an exchange' },
  { address: MIXER, title: 'Demo: a mixer' },
  { address: BETWEEN, title: 'Demo: an address between' },
  { address: MARKET, title: 'Demo: a darknet market' },
  { address: SHOP, title: 'Demo: a shop without a label' },
]

const known: ReadonlySet<string> = new Set(demoAddresses.map((one) => one.address))
/** Addresses without a label of a service, through which paths are followed. */
const followed = [CUSTOMER, BETWEEN, SHOP, SAVER]

export const isDemoAddress = (chain: string, canonicalAddress: string): boolean =>
  chain === CHAIN && known.has(canonicalAddress)

interface Examined {
  readonly chain: string
  /** Canonical. */
  readonly address: string
  readonly labelSets: readonly LabelSetFacts[]
}

/** Whether the address is of the demo, and the demo is on. */
export const isExaminedInDemo = ({ chain, address: of, labelSets }: Examined): boolean =>
  isDemoAddress(chain, of) && labelSets.some(({ source, visible }) => source === DEMO_SOURCE && visible > 0)

/** What labels say of counterparties in real transfers: nothing of the demo. */
export const withoutDemo = (labels: readonly LabelFacts[]): readonly LabelFacts[] =>
  labels.some(({ source }) => source === DEMO_SOURCE)
    ? labels.filter(({ source }) => source !== DEMO_SOURCE)
    : labels

/** Hundredths of an ether, from one address to another, on a day since the first one. */
const moved: readonly (readonly [from: string, to: string, hundredths: bigint, day: number])[] = [
  [EXCHANGE, CUSTOMER, 620n, 0],
  [MIXER, BETWEEN, 500n, 9],
  [BETWEEN, CUSTOMER, 450n, 10],
  [CUSTOMER, SHOP, 300n, 14],
  [CUSTOMER, MARKET, 120n, 21],
  [EXCHANGE, SAVER, 1_200n, 30],
  [SAVER, SHOP, 200n, 33],
]

const FIRST_DAY_S = Date.UTC(2026, 0, 5, 12) / 1_000
const DAY_S = 86_400
const BLOCKS_PER_DAY = 7_200
const WEI_PER_HUNDREDTH = 10n ** 16n

const transfers: readonly Transfer[] = moved.map(([from, to, hundredths, day], index) => ({
  ...{ id: made(HASH_DIGITS, index + 1), txHash: `0x${made(HASH_DIGITS, index + 1)}` },
  ...{ kind: 'native', contract: '', from, to, amount: hundredths * WEI_PER_HUNDREDTH },
  ...{ blockNumber: 1_000 + day * BLOCKS_PER_DAY, occurredAtS: FIRST_DAY_S + day * DAY_S },
  ...{ index: 0, position: null, proven: true, coinJoin: false },
}))

const LAST_HEIGHT = 1_000_000
const kinds = ['native', 'internal', 'token'] as const

/**
 * The transfers of the demo around one of its addresses, with a whole history of each. The histories were read at the beginning of the UTC
 * day of `generatedAt`, so they never grow old.
 */
export function demoNeighbourhood(
  screened: string,
  generatedAt: string,
): Omit<Neighbourhood, 'ledgerSeq' | 'prices'> {
  const atS = Date.parse(`${generatedAt.slice(0, 'YYYY-MM-DD'.length)}T00:00:00Z`) / 1_000
  const ranges = kinds.map((kind): DeclaredRange => ({
    kind,
    fromHeight: 0,
    toHeight: LAST_HEIGHT,
    toAtS: atS,
  }))
  return {
    ...{
      chain: CHAIN,
      address: screened,
      transfers,
      cut: [],
      truncated: false,
      ranges: [],
      netBaseUnits: null,
    },
    followed: followed.filter((one) => one !== screened),
    histories: [...known].map((one) => ({
      ...{
        address: one,
        provider: DEMO_SOURCE,
        height: LAST_HEIGHT,
        hash: '',
        atS,
        kinds,
        incomplete: [],
        ranges,
      },
    })),
  }
}
