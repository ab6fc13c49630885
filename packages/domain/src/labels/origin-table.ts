/**
 * The origin of each list: the source that first stated a fact. Many lists restate one origin, and restatements of one origin count once:
 * most public EVM scam tags are one explorer's, through four collections.
 */
import { openSanctionsDatasets, openSanctionsSource } from './opensanctions-datasets.js'
import type { LabelKind, Subcategory } from './vocabulary.js'

/** Changes whenever a row changes; recorded in each report. */
export const ORIGIN_TABLE_VERSION = '1.1.0'

export interface OriginRow {
  /** The list's `source`; `*` for any. */
  readonly source: string
  /**
   * Beginning of the label's link without scheme and, for files in a public repository, without its revision:
   * `github.com/<owner>/<repository>/<path>`. Empty: any link.
   */
  readonly urlPrefix: string
  readonly origin: string
  readonly kind: LabelKind
  /** The role of every address in the dataset. */
  readonly role?: 'participant'
  /** The subcategory of every label of the dataset that has its category. */
  readonly subcategory?: Subcategory
}

/** Sources that are an authority's own list. Their live sanctions labels are designations. */
export const authorityOrigins: Readonly<Record<string, string>> = {
  ofac_sdn: 'us-ofac',
  uk_ofsi: 'uk-ofsi',
  eu_fsf: 'eu-fsf',
  un_sc: 'un-sc',
  il_nbctf: 'il-nbctf',
}

const TAGPACKS = 'github.com/graphsense/graphsense-tagpacks/packs/'

function tagpack(
  file: string,
  origin: string,
  kind: LabelKind,
  more: Pick<OriginRow, 'role' | 'subcategory'> = {},
): OriginRow {
  return {
    source: 'graphsense_tagpacks',
    urlPrefix: TAGPACKS + file,
    origin,
    kind,
    ...more,
  }
}

const anyLink = (
  source: string,
  origin: string,
  kind: LabelKind,
  more: Pick<OriginRow, 'subcategory'> = {},
): OriginRow => ({ source, urlPrefix: '', origin, kind, ...more })

const anySource = (urlPrefix: string, origin: string, kind: LabelKind): OriginRow => ({
  source: '*',
  urlPrefix,
  origin,
  kind,
})

/** In order; the first matching row decides. */
export const originTable: readonly OriginRow[] = [
  // Authorities' own lists.
  ...Object.entries(authorityOrigins).map(([source, origin]) => anyLink(source, origin, 'designation')),

  // Data that OpenSanctions collects from others.
  ...openSanctionsDatasets.map(([name, { origin, kind, subcategory }]) =>
    anyLink(openSanctionsSource(name), origin, kind, subcategory === undefined ? {} : { subcategory }),
  ),

  // TagPacks that restate an authority or a court.
  tagpack('ofac', 'us-ofac', 'restatement'),
  tagpack('lazarus2', 'us-fbi', 'official_document'),
  tagpack('lazarus', 'us-ofac', 'restatement'),
  tagpack('hydra', 'us-ofac', 'restatement'),
  tagpack('blender_io', 'us-ofac', 'restatement'),
  tagpack('tornado_cash', 'us-ofac', 'restatement'),
  tagpack('aft-alqaeda', 'us-doj', 'official_document', { subcategory: 'terrorist_financing' }),
  tagpack('twitter_hack_scam', 'us-doj', 'official_document'),
  tagpack('interpol', 'interpol', 'official_document'),
  // TagPacks that restate an explorer's tags.
  tagpack('etherscan-', 'etherscan', 'crowd'),
  tagpack('defi-fraud', 'etherscan', 'crowd'),
  // TagPacks that restate other lists.
  tagpack('ransomwhere', 'ransomwhere', 'crowd', { subcategory: 'ransomware' }),
  tagpack('etherscamdb', 'etherscamdb', 'crowd'),
  tagpack('walletexplorer', 'walletexplorer', 'trusted_provider'),
  tagpack('chaininfo', 'chaininfo', 'trusted_provider'),
  tagpack('richest_addresses', 'bitinfocharts', 'trusted_provider'),
  tagpack('hacks', 'bitcointalk-hacks', 'crowd', { subcategory: 'hack' }),
  // Users of a mixer are not the mixer.
  tagpack('samourai', 'graphsense-samourai', 'heuristic', { role: 'participant' }),
  // Statements of services about themselves.
  tagpack('ronin_bridge', 'service-ronin', 'service_statement'),
  tagpack('exchange-wallets-bitmex', 'service-bitmex', 'service_statement'),
  tagpack('exchange-wallets-binance', 'service-binance', 'service_statement'),
  tagpack('binance.yaml', 'service-binance', 'service_statement'),
  tagpack('exchange-wallets-bitfinexcom', 'service-bitfinex', 'service_statement'),
  tagpack('exchange-wallets-kucoin', 'service-kucoin', 'service_statement'),
  tagpack('exchange-wallets-swissborg', 'service-swissborg', 'service_statement'),
  tagpack('exchange-wallets-cryptocom', 'service-cryptocom', 'service_statement'),
  tagpack('exchange-wallets-deribit', 'service-deribit', 'service_statement'),
  // Investigations published as TagPacks.
  tagpack('sextortion_excello', 'excello-sextortion', 'forensic', { subcategory: 'sextortion' }),
  tagpack('sextortion_talos', 'talos-sextortion', 'forensic', { subcategory: 'sextortion' }),
  tagpack('mixing_fc2021', 'mixing-study-fc2021', 'forensic'),
  tagpack('ponzi_scheme', 'ponzi-study-2018', 'forensic', { subcategory: 'investment_fraud' }),
  tagpack('electrum_phishing', 'graphsense', 'trusted_provider', { subcategory: 'phishing' }),
  tagpack('ransomware', 'ransomware-study-2018', 'forensic', { subcategory: 'ransomware' }),

  // One explorer's tags, collected by others.
  anyLink('eth_labels_dawsbot', 'etherscan', 'crowd'),
  anyLink('etherscan_labels_brianleect', 'etherscan', 'crowd'),
  {
    source: 'forta_labelled_datasets',
    urlPrefix: 'github.com/forta-network/labelled-datasets/labels/1/phishing',
    origin: 'etherscan',
    kind: 'crowd',
    subcategory: 'phishing',
  },
  anyLink('forta_labelled_datasets', 'etherscan', 'crowd'),

  anyLink('fbi_ic3_psa_2025', 'us-fbi', 'official_document', { subcategory: 'hack' }),
  anyLink('showing_the_receipts', 'ransomwhere', 'forensic', { subcategory: 'ransomware' }),
  anyLink('address_poisoning_cmu', 'address-poisoning-study', 'forensic', {
    subcategory: 'address_poisoning',
  }),
  anyLink('finos_openaml', 'finos-openaml', 'crowd'),
  anyLink('mew_ethereum_lists', 'mew-darklist', 'crowd'),
  anyLink('defillama_cex', 'defillama', 'trusted_provider'),

  // Any list that links to the origin itself.
  anySource('sanctionssearch.ofac.treas.gov/', 'us-ofac', 'restatement'),
  anySource('sanctionslist.ofac.treas.gov/', 'us-ofac', 'restatement'),
  anySource('ofac.treasury.gov/', 'us-ofac', 'restatement'),
  anySource('home.treasury.gov/', 'us-ofac', 'restatement'),
  anySource('www.treasury.gov/', 'us-ofac', 'restatement'),
  anySource('ofsistorage.blob.core.windows.net/', 'uk-ofsi', 'restatement'),
  anySource('sanctionslist.fcdo.gov.uk/', 'uk-ofsi', 'restatement'),
  anySource('search-uk-sanctions-list.service.gov.uk/', 'uk-ofsi', 'restatement'),
  anySource('webgate.ec.europa.eu/', 'eu-fsf', 'restatement'),
  anySource('www.sanctionsmap.eu/', 'eu-fsf', 'restatement'),
  anySource('eur-lex.europa.eu/', 'eu-fsf', 'restatement'),
  anySource('scsanctions.un.org/', 'un-sc', 'restatement'),
  anySource('main.un.org/securitycouncil/', 'un-sc', 'restatement'),
  anySource('www.un.org/securitycouncil/', 'un-sc', 'restatement'),
  anySource('nbctf.mod.gov.il/', 'il-nbctf', 'restatement'),
  anySource('www.seco.admin.ch/', 'ch-seco', 'restatement'),
  anySource('www.fbi.gov/', 'us-fbi', 'official_document'),
  anySource('www.ic3.gov/', 'us-fbi', 'official_document'),
  anySource('www.justice.gov/', 'us-doj', 'official_document'),
  anySource('etherscan.io/', 'etherscan', 'crowd'),
  anySource('bscscan.com/', 'etherscan', 'crowd'),
  anySource('www.sec.gov/', 'us-sec', 'official_document'),
  // Statements of services about themselves, and of victims about their losses.
  anySource('www.binance.com/', 'service-binance', 'service_statement'),
  anySource('github.com/bitfinexcom/', 'service-bitfinex', 'service_statement'),
  anySource('crypto.com/', 'service-cryptocom', 'service_statement'),
  anySource('www.okx.com/', 'service-okx', 'service_statement'),
  anySource('www.kucoin.com/', 'service-kucoin', 'service_statement'),
  anySource('upbit.com/', 'service-upbit', 'service_statement'),
  anySource('roninblockchain.substack.com/', 'service-ronin', 'service_statement'),
  anySource('medium.com/harmony-one/', 'service-harmony', 'service_statement'),
  anySource('wormholecrypto.medium.com/', 'service-wormhole', 'service_statement'),
  anySource('solana.com/', 'service-solana', 'service_statement'),
  anySource('github.com/tornadocash/', 'service-tornado', 'service_statement'),

  // A TagPack that links to none of these is GraphSense's own statement.
  anyLink('graphsense_tagpacks', 'graphsense', 'trusted_provider'),
]

/** The link in the form of the table: no scheme, and no revision inside a repository's path. */
export function originPath(sourceUrl: string): string {
  const path = sourceUrl.replace(/^[a-z]+:\/\//, '')
  const raw = /^raw\.githubusercontent\.com\/([^/]+\/[^/]+)\/[^/]+\/(.*)$/s.exec(path)
  if (raw !== null) return `github.com/${raw[1]}/${raw[2]}`
  return path.replace(/^(github\.com\/[^/]+\/[^/]+)\/(?:blob|raw|tree)\/[^/]+\//, '$1/')
}

/** Row for a label, or undefined if its source is unknown. */
export function findOriginRow(source: string, sourceUrl: string): OriginRow | undefined {
  const path = originPath(sourceUrl)
  return originTable.find(
    (row) => (row.source === '*' || row.source === source) && path.startsWith(row.urlPrefix),
  )
}
