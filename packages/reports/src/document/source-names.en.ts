/** What the publishers of labels are called. */
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

interface LabelSet {
  readonly source: string
  readonly dataset: string
}

/** A list by its publisher and its own name; the code of a publisher that has no name among these stays a code. */
export const setText = ({ source, dataset }: LabelSet, names: Readonly<Record<string, string>>): string =>
  source === '' ? visibleText(dataset) : `${nameOf(names, source)} / ${visibleText(dataset)}`

export const setName = (set: LabelSet): string => setText(set, sourceNames)
