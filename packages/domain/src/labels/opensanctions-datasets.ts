/**
 * Datasets of OpenSanctions that hold wallets, or parties to which wallets belong. One OpenSanctions file restates many sources, so each
 * dataset is a source of its own here, `opensanctions:<dataset>`: the designation by one authority must not end with another authority's
 * list.
 */
import type { LabelKind, Subcategory } from './vocabulary.js'

export interface OpenSanctionsDataset {
  readonly origin: string
  readonly kind: LabelKind
  /** The category of every wallet of the dataset, whatever its topics are; null if the topics decide. */
  readonly category: 'scam' | 'stolen' | null
  readonly subcategory?: Subcategory
}

const authority = (origin: string): OpenSanctionsDataset => ({ origin, kind: 'restatement', category: null })

const datasets: Readonly<Record<string, OpenSanctionsDataset>> = {
  us_ofac_sdn: authority('us-ofac'),
  us_ofac_cons: authority('us-ofac'),
  gb_hmt_sanctions: authority('uk-ofsi'),
  gb_fcdo_sanctions: authority('uk-ofsi'),
  eu_fsf: authority('eu-fsf'),
  eu_sanctions_map: authority('eu-fsf'),
  eu_journal_sanctions: authority('eu-fsf'),
  un_sc_sanctions: authority('un-sc'),
  il_mod_crypto: authority('il-nbctf'),
  il_mod_terrorists: authority('il-nbctf'),
  ar_repet: authority('ar-repet'),
  au_dfat_sanctions: authority('au-dfat'),
  be_fod_sanctions: authority('be-fod'),
  ca_dfatd_sema_sanctions: authority('ca-dfatd'),
  ca_listed_terrorists: authority('ca-public-safety'),
  ch_seco_sanctions: authority('ch-seco'),
  cz_national_sanctions: authority('cz-mzv'),
  ee_international_sanctions: authority('ee-mfa'),
  fr_tresor_gels_avoir: authority('fr-tresor'),
  jp_mof_sanctions: authority('jp-mof'),
  kz_afmrk_sanctions: authority('kz-afm'),
  lt_fiu_freezes: authority('lt-fiu'),
  mc_fund_freezes: authority('mc-government'),
  my_moha_sanctions: authority('my-moha'),
  nl_terrorism_list: authority('nl-government'),
  nz_russia_sanctions: authority('nz-mfat'),
  pl_mswia_sanctions: authority('pl-mswia'),
  qa_nctc_sanctions: authority('qa-nctc'),
  sg_terrorists: authority('sg-mha'),
  tr_fcib: authority('tr-masak'),
  ua_nsdc_sanctions: authority('ua-nsdc'),
  za_fic_sanctions: authority('za-fic'),
  us_fbi_lazarus_crypto: {
    origin: 'us-fbi',
    kind: 'official_document',
    category: 'stolen',
    subcategory: 'hack',
  },
  ransomwhere: { origin: 'ransomwhere', kind: 'crowd', category: 'scam', subcategory: 'ransomware' },
}

/** The dataset with this OpenSanctions name, or undefined if it is unknown. */
export function findOpenSanctionsDataset(name: string): OpenSanctionsDataset | undefined {
  return Object.hasOwn(datasets, name) ? datasets[name] : undefined
}

/** Source of the labels of a known dataset. */
export const openSanctionsSource = (dataset: string): string => `opensanctions:${dataset}`

export const openSanctionsDatasets: readonly (readonly [name: string, dataset: OpenSanctionsDataset])[] =
  Object.entries(datasets)
