/**
 * The judgement that the product must give for every address of the shared label files, once all are imported. It is computed
 * only from the rules, in exact fractions, and shares no code with the product.
 */
import { createHash } from 'node:crypto'
import type { LabelRow } from './label-oracle.js'

/** A row and its file, such as `ofac_sdn.csv`. */
export interface FileRow extends LabelRow {
  readonly file: string
}

export interface ExpectedEvidence {
  readonly category: string
  readonly origin: string
  readonly used: boolean
  readonly reason: string | null
  /** Points, weighted. */
  readonly contribution: number
  readonly decisive: boolean
  /** Entities that the item may name. */
  readonly entities: readonly string[]
}

export interface ExpectedJudgement {
  readonly address: string
  readonly chain: string
  readonly level: string
  readonly score: number
  readonly categories: Readonly<Record<string, number>>
  readonly evidence: readonly ExpectedEvidence[]
}

const RISK = ['sanctions', 'darknet', 'mixer', 'scam', 'stolen'] as const
const CLEAN = 'clean_exchange'
/** Default policy, version 1, in hundredths. */
const WEIGHT: Readonly<Record<string, bigint>> = {
  sanctions: 100n,
  darknet: 95n,
  stolen: 95n,
  scam: 90n,
  mixer: 85n,
}
const ROLE: Readonly<Record<string, bigint>> = {
  owner: 10n,
  participant: 7n,
  disputed: 5n,
  infrastructure: 5n,
}

const EVM = new Set('ETH BSC MATIC ARB OP BASE AVAX FTM GNO CELO LINEA ETC ZKSYNC SCROLL MNT'.split(' '))

/** Chains whose addresses are the hash of a key or of a script, by their leading version bytes. */
const KEY_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  key: ['00', '30', '1e', '4c', '26', '1cb8'],
  script: ['05', '32', '10', '16', '1cbd'],
}
const HASHED = new Set('BTC BCH BSV LTC DOGE DASH ZEC BTG XVG'.split(' '))
/** Bech32 addresses of a key hash: a prefix, for SegWit the version q, 32 letters of the hash, a checksum of 6. */
const KEY_LETTERS = /^(?:bc1q|ltc1q|bnb1|cosmos1)([02-9ac-hj-np-z]{32})[02-9ac-hj-np-z]{6}$/
const BECH32 = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'
const BITCOIN = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const RIPPLE = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz'

/** An address has one owner on every EVM chain and on TRON, which encodes the same 20 bytes. So has a key or script hash on every chain. */
function ownerOf({ address, chain }: LabelRow): string {
  if (EVM.has(chain)) return address.toLowerCase()
  // A version byte, the 20 bytes, and a checksum of 4.
  if (chain === 'TRX') return `0x${base58Hex(address).slice(2, 42)}`
  const letters = KEY_LETTERS.exec(address)?.[1]
  if (letters !== undefined) return nestedOwner(bech32Hex(letters))
  if (chain === 'XRP' && /^r[1-9A-HJ-NP-Za-km-z]{24,34}$/.test(address))
    return nestedOwner(base58Hex(address, RIPPLE).slice(2, 42))
  if (!HASHED.has(chain) || !/^[1-9A-HJ-NP-Za-km-z]{25,36}$/.test(address)) return address
  const bytes = base58Hex(address)
  const found = Object.entries(KEY_VERSIONS).find(([, versions]) =>
    versions.some((version) => bytes.startsWith(version) && bytes.length === version.length + 48),
  )
  if (found === undefined) return address
  const hash = bytes.slice(-48, -8)
  return found[0] === 'key' ? nestedOwner(hash) : `script ${hash}`
}

/** Whoever has the key also owns the script that nests its hash (BIP 141, P2SH-P2WPKH). */
function nestedOwner(keyHash: string): string {
  const program = createHash('sha256')
    .update(Buffer.from(`0014${keyHash}`, 'hex'))
    .digest()
  return `script ${createHash('ripemd160').update(program).digest('hex')}`
}

/** 32 letters of 5 bits are 20 bytes. */
const bech32Hex = (letters: string): string =>
  [...letters]
    .reduce((sum, letter) => sum * 32n + BigInt(BECH32.indexOf(letter)), 0n)
    .toString(16)
    .padStart(40, '0')

/** The bytes of a Base58 text: version, a hash of 20 bytes, a checksum of 4. */
function base58Hex(text: string, alphabet = BITCOIN): string {
  const number = [...text].reduce((sum, letter) => sum * 58n + BigInt(alphabet.indexOf(letter)), 0n)
  const digits = number === 0n ? '' : number.toString(16)
  const zeros = [...text].findIndex((letter) => letter !== alphabet[0])
  return '00'.repeat(zeros) + (digits.length % 2 === 0 ? digits : `0${digits}`)
}

/** TagPacks that restate another origin, by the beginning of the file name; the first match counts. */
const packOrigins: readonly (readonly [string, string])[] = [
  ['ofac', 'us-ofac'],
  ['lazarus2', 'us-fbi'],
  ['lazarus', 'us-ofac'],
  ['hydra', 'us-ofac'],
  ['blender_io', 'us-ofac'],
  ['tornado_cash', 'us-ofac'],
  ['aft-alqaeda', 'us-doj'],
  ['twitter_hack_scam', 'us-doj'],
  ['interpol', 'interpol'],
  ['etherscan-', 'etherscan'],
  ['defi-fraud', 'etherscan'],
  ['etherscamdb', 'etherscamdb'],
  ['ransomwhere', 'ransomwhere'],
  ['ransomware', 'ransomware-study-2018'],
  ['walletexplorer', 'walletexplorer'],
  ['chaininfo', 'chaininfo'],
  ['richest_addresses', 'bitinfocharts'],
  ['hacks', 'bitcointalk-hacks'],
  ['samourai', 'graphsense-samourai'],
  ['ronin_bridge', 'service-ronin'],
  ['exchange-wallets-binance', 'service-binance'],
  ['binance.yaml', 'service-binance'],
  ['exchange-wallets-bitmex', 'service-bitmex'],
  ['exchange-wallets-bitfinex', 'service-bitfinex'],
  ['exchange-wallets-kucoin', 'service-kucoin'],
  ['exchange-wallets-swissborg', 'service-swissborg'],
  ['exchange-wallets-cryptocom', 'service-cryptocom'],
  ['exchange-wallets-deribit', 'service-deribit'],
  ['sextortion_excello', 'excello-sextortion'],
  ['sextortion_talos', 'talos-sextortion'],
  ['mixing_fc2021', 'mixing-study-fc2021'],
  ['ponzi_scheme', 'ponzi-study-2018'],
]

/** Origin of each file. Four collections restate the tags of one explorer. */
const fileOrigins: Readonly<Record<string, string>> = {
  'ofac_sdn.csv': 'us-ofac',
  'verified_mixers.csv': 'us-ofac',
  'fbi_dprk.csv': 'us-fbi',
  'eth_labels.csv': 'etherscan',
  'etherscan_labels.csv': 'etherscan',
  'forta.csv': 'etherscan',
  'showing_the_receipts.csv': 'ransomwhere',
  'address_poisoning_eth.csv': 'address-poisoning-study',
  'finos_openaml.csv': 'finos-openaml',
  'mew_darklist.csv': 'mew-darklist',
  'defillama_cex.csv': 'defillama',
}

const packOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1)

export function originOf({ file, sourceUrl }: FileRow): string {
  const known = fileOrigins[file]
  if (known !== undefined) return known
  const pack = packOf(sourceUrl)
  return packOrigins.find(([beginning]) => pack.startsWith(beginning))?.[1] ?? 'graphsense'
}

/** Role of a label: users of a mixer are participants, a whitehat is disputed, a mixer's token or verifier is infrastructure. */
export function roleOf({ category, entity, sourceUrl }: FileRow): string {
  if (packOf(sourceUrl).startsWith('samourai')) return 'participant'
  if (category === CLEAN || category === 'sanctions') return 'owner'
  const name = entity.toLowerCase()
  const disputed = ['whitehat', 'white hat', 'white-hat', 'compromised']
  if (disputed.some((word) => name.includes(word)) || sourceUrl.includes('/compromised')) return 'disputed'
  const parts = new Set(name.split(/[^a-z0-9]+/))
  const around = ['token', 'voucher', 'vesting', 'governance', 'verifier', 'poseidon', 'hasher']
  return category === 'mixer' && around.some((word) => parts.has(word)) ? 'infrastructure' : 'owner'
}

const MILLION = 1_000_000n
/** Nearest whole number, halves upwards. */
const rounded = (top: bigint, bottom: bigint): bigint => (2n * top + bottom) / (2n * bottom)

interface Statement {
  readonly row: FileRow
  readonly origin: string
  readonly role: string
  /** c·ρ in parts per million. */
  readonly strength: bigint
  readonly isDesignation: boolean
  readonly reason: string | null
}

/** One judgement per address and chain of the rows, with every row known. */
export function expectedJudgements(rows: readonly FileRow[]): readonly ExpectedJudgement[] {
  const byOwner = new Map<string, FileRow[]>()
  for (const row of rows) {
    const known = byOwner.get(ownerOf(row))
    if (known === undefined) byOwner.set(ownerOf(row), [row])
    else known.push(row)
  }
  const seen = new Map<string, ExpectedJudgement>()
  for (const row of rows) {
    const key = `${row.chain} ${row.address}`
    if (!seen.has(key)) seen.set(key, judged(row, byOwner.get(ownerOf(row))!))
  }
  return [...seen.values()]
}

function judged({ address, chain }: FileRow, rows: readonly FileRow[]): ExpectedJudgement {
  const isOnOwnList = rows.some(isDesignation)
  const statements = rows.map((row): Statement => {
    const origin = originOf(row)
    const role = roleOf(row)
    const isLive = isDesignation(row)
    const confidence = isLive ? MILLION : BigInt(Math.round(row.confidence * 1e6))
    return {
      row,
      origin,
      role,
      strength: rounded(confidence * ROLE[role]!, 10n),
      isDesignation: isLive,
      reason: whyNot(row, { origin, chain, isOnOwnList, isLive, confidence }),
    }
  })

  const categories: Record<string, bigint> = {}
  const items: { item: Omit<ExpectedEvidence, 'decisive' | 'contribution'>; points: bigint }[] = []
  for (const category of [...RISK, CLEAN]) {
    const own = statements.filter(({ row }) => row.category === category)
    const counted = bestByOrigin(own.filter(({ reason }) => reason === null))
    const best = counted.reduce((most, { strength }) => (strength > most ? strength : most), 0n)
    const certain = counted.some((statement) => statement.isDesignation)
    const together = combined(counted)
    const C = certain ? MILLION : together > best ? together : best
    categories[category] = rounded(C, 100n)
    for (const { origin, strength, isDesignation: isFloor } of counted)
      items.push({
        item: { category, origin, used: true, reason: null, entities: entitiesOf(own, origin) },
        points: isFloor ? 10_000n : weighted(category, rounded(strength, 100n)),
      })
    if (!certain && together > best)
      items.push({
        item: { category, origin: 'combined', used: true, reason: null, entities: entitiesOf(own, null) },
        points: weighted(category, categories[category]!),
      })
    for (const [origin, reason] of unusedReasons(own))
      items.push({
        item: { category, origin, used: false, reason, entities: entitiesOf(own, origin) },
        points: 0n,
      })
  }
  const overall = isOnOwnList
    ? 10_000n
    : RISK.map((category) => weighted(category, categories[category]!)).reduce((a, b) => (a > b ? a : b))
  return {
    address,
    chain,
    level: levelOf(overall, isOnOwnList, categories),
    score: Number(overall) / 100,
    categories: Object.fromEntries(
      Object.entries(categories).map(([name, points]) => [name, Number(points) / 100]),
    ),
    evidence: items.map(({ item, points }) => ({
      ...item,
      contribution: Number(points) / 100,
      decisive: overall > 0n && points === overall,
    })),
  }
}

const isDesignation = ({ file, category }: FileRow): boolean =>
  file === 'ofac_sdn.csv' && category === 'sanctions'

/** Restatements of a list that was imported end with it; a clean attribution stays on its chain. */
function whyNot(
  row: FileRow,
  facts: { origin: string; chain: string; isOnOwnList: boolean; isLive: boolean; confidence: bigint },
): string | null {
  if (row.category === 'sanctions' && facts.origin === 'us-ofac' && !facts.isOnOwnList)
    return 'authority_ended'
  if (facts.isLive) return null
  if (facts.confidence < 300_000n) return 'low_confidence'
  return row.category === CLEAN && row.chain !== facts.chain ? 'other_chain' : null
}

function bestByOrigin(statements: readonly Statement[]): readonly Statement[] {
  const best = new Map<string, Statement>()
  for (const statement of statements) {
    const known = best.get(statement.origin)
    if (known === undefined || rank(statement) > rank(known)) best.set(statement.origin, statement)
  }
  return [...best.values()]
}

/** Designations first, then strength, then roles that combine. */
const rank = ({ isDesignation: isFirst, strength, role }: Statement): bigint =>
  (isFirst ? 10n * MILLION : 0n) + strength * 2n + (role === 'owner' || role === 'participant' ? 1n : 0n)

/** min(0.95, 1 − Π(1 − c)) over the origins of at least one half that own the address or took part. */
function combined(counted: readonly Statement[]): bigint {
  const sure = counted.filter(
    ({ strength, role }) => strength >= 500_000n && (role === 'owner' || role === 'participant'),
  )
  if (sure.length < 2) return 0n
  const scale = MILLION ** BigInt(sure.length)
  const doubt = sure.reduce((product, { strength }) => product * (MILLION - strength), 1n)
  const together = rounded((scale - doubt) * MILLION, scale)
  return together < 950_000n ? together : 950_000n
}

function weighted(category: string, points: bigint): bigint {
  return category === CLEAN ? 0n : rounded(points * WEIGHT[category]!, 100n)
}

function unusedReasons(own: readonly Statement[]): readonly (readonly [string, string])[] {
  const reasons = new Map<string, readonly [string, string]>()
  for (const { origin, reason } of own)
    if (reason !== null) reasons.set(`${origin} ${reason}`, [origin, reason])
  return [...reasons.values()]
}

const entitiesOf = (own: readonly Statement[], origin: string | null): readonly string[] =>
  own.filter((one) => origin === null || one.origin === origin).map(({ row }) => row.entity)

function levelOf(
  overall: bigint,
  isOnOwnList: boolean,
  categories: Readonly<Record<string, bigint>>,
): string {
  if (isOnOwnList || overall >= 7_000n) return 'red'
  if (overall >= 2_500n) return 'orange'
  const hasIllicit = RISK.some((category) => categories[category]! > 0n)
  return categories[CLEAN]! >= 8_000n && !hasIllicit ? 'green' : 'grey'
}
