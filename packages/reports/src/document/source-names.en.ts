/** What the publishers of labels are called. */
import { OWN_LABEL_SOURCE } from '@cupel/domain'
import { nameOf, visibleText } from './writing.js'

export const sourceNames: Readonly<Record<string, string>> = {
  ofac_sdn: 'SDN list of OFAC',
  uk_ofsi: 'list of OFSI',
  eu_fsf: 'list of the European Union',
  un_sc: 'list of the United Nations Security Council',
  il_nbctf: 'list of the NBCTF of Israel',
  fbi_ic3_psa_2025: 'announcement of the FBI',
  graphsense_tagpacks: 'TagPacks of GraphSense',
  eth_labels_dawsbot: 'labels of Etherscan, collected by dawsbot',
  etherscan_labels_brianleect: 'labels of Etherscan, collected by brianleect',
  forta_labelled_datasets: 'labels of Etherscan, collected by Forta',
  showing_the_receipts: 'Showing the Receipts',
  address_poisoning_cmu: 'study of address poisoning by CMU',
  finos_openaml: 'OpenAML of FINOS',
  mew_ethereum_lists: 'lists of MyEtherWallet',
  defillama_cex: 'exchanges of DefiLlama',
  cupel_demo: 'demo data of Cupel',
  cupel_starter: 'starter labels of Cupel',
}

export const authorityNames: Readonly<Record<string, string>> = {
  'us-ofac': 'OFAC',
  'uk-ofsi': 'OFSI',
  'eu-fsf': 'the European Union',
  'un-sc': 'the United Nations Security Council',
  'il-nbctf': 'the NBCTF of Israel',
  [OWN_LABEL_SOURCE]: 'your label',
}

/** What the first finders of facts are called: authorities, publishers and others. */
export const originNames: Readonly<Record<string, string>> = {
  ...sourceNames,
  ...authorityNames,
  'us-fbi': 'the FBI',
  'us-doj': 'the Department of Justice of the United States',
  'us-sec': 'the SEC of the United States',
  'ch-seco': 'SECO of Switzerland',
  interpol: 'Interpol',
  etherscan: 'Etherscan',
  etherscamdb: 'EtherScamDB',
  ransomwhere: 'Ransomwhere',
  walletexplorer: 'WalletExplorer',
  chaininfo: 'Chaininfo',
  bitinfocharts: 'BitInfoCharts',
  'bitcointalk-hacks': 'hacks told on Bitcointalk',
  graphsense: 'GraphSense',
  'graphsense-samourai': 'GraphSense, users of Samourai',
  'excello-sextortion': 'study of sextortion by Excello',
  'talos-sextortion': 'study of sextortion by Talos',
  'mixing-study-fc2021': 'study of mixers, 2021',
  'ponzi-study-2018': 'study of Ponzi schemes, 2018',
  'ransomware-study-2018': 'study of ransomware, 2018',
  'address-poisoning-study': 'study of address poisoning by CMU',
  'finos-openaml': 'OpenAML of FINOS',
  'mew-darklist': 'dark list of MyEtherWallet',
  defillama: 'DefiLlama',
  'service-ronin': 'Ronin itself',
  'service-bitmex': 'BitMEX itself',
  'service-binance': 'Binance itself',
  'service-bitfinex': 'Bitfinex itself',
  'service-kucoin': 'KuCoin itself',
  'service-swissborg': 'SwissBorg itself',
  'service-cryptocom': 'Crypto.com itself',
  'service-deribit': 'Deribit itself',
  'service-okx': 'OKX itself',
  'service-upbit': 'Upbit itself',
  'service-harmony': 'Harmony itself',
  'service-wormhole': 'Wormhole itself',
  'service-solana': 'Solana itself',
  'service-tornado': 'Tornado Cash itself',
}

interface LabelSet {
  readonly source: string
  readonly dataset: string
}

/** A list by its publisher and its own name; the code of a publisher that has no name among these stays a code. */
export const setText = ({ source, dataset }: LabelSet, names: Readonly<Record<string, string>>): string =>
  source === '' ? visibleText(dataset) : `${nameOf(names, source)} / ${visibleText(dataset)}`

export const setName = (set: LabelSet): string => setText(set, sourceNames)
