import { describe, expect, test } from 'vitest'
import { authorityOriginOf, authorityReadLike, classifyLabel } from './classify-label.js'
import { originPath } from './origin-table.js'

const TAGPACKS = 'https://github.com/graphsense/graphsense-tagpacks/blob/29ff93c/packs'

function classified(source: string, sourceUrl: string, category: string, entity = '') {
  return classifyLabel({ source, sourceUrl, category, entity, confidencePpm: null })
}

describe('origins', () => {
  test.each([
    [
      'forta_labelled_datasets',
      'https://github.com/forta-network/labelled-datasets/blob/40a9c2f/labels/1/phishing_scams.csv',
      'scam',
      'etherscan',
    ],
    [
      'eth_labels_dawsbot',
      'https://github.com/dawsbot/eth-labels/blob/6aff38d/data/etherscan/x.json',
      'scam',
      'etherscan',
    ],
    [
      'etherscan_labels_brianleect',
      'https://github.com/brianleect/etherscan-labels/blob/923aba7/x.json',
      'scam',
      'etherscan',
    ],
    ['graphsense_tagpacks', `${TAGPACKS}/etherscan-label-word-cloud.yaml`, 'stolen', 'etherscan'],
    ['graphsense_tagpacks', `${TAGPACKS}/defi-fraud-masterthesis.yaml`, 'scam', 'etherscan'],
    ['graphsense_tagpacks', `${TAGPACKS}/ofac.yaml`, 'sanctions', 'us-ofac'],
    ['graphsense_tagpacks', `${TAGPACKS}/lazarus.yaml`, 'sanctions', 'us-ofac'],
    ['graphsense_tagpacks', `${TAGPACKS}/lazarus2.yaml`, 'stolen', 'us-fbi'],
    ['graphsense_tagpacks', `${TAGPACKS}/aft-alqaeda-forfeit_vc.yaml`, 'sanctions', 'us-doj'],
    ['graphsense_tagpacks', `${TAGPACKS}/ransomwhere.yaml`, 'scam', 'ransomwhere'],
    [
      'showing_the_receipts',
      'https://github.com/cablej/showing-the-receipts/blob/1e7e9d8/addresses.csv',
      'scam',
      'ransomwhere',
    ],
    ['cipherchain_verified_mixers', 'https://ofac.treasury.gov/recent-actions/20220506', 'mixer', 'us-ofac'],
    ['a_list_nobody_knows', 'https://example.org', 'scam', 'a_list_nobody_knows'],
  ])('%s with %s (%s) goes back to %s', (source, url, category, origin) => {
    expect(classified(source, url, category).origin).toBe(origin)
  })

  test.each(['Some Vendor', 'some vendor', ' SOME  VENDOR ', 'Ｓome Vendor'])(
    '%j is an origin whatever its spelling',
    (source) => {
      expect(classified(source, 'https://example.org', 'clean_exchange').origin).toBe('some vendor')
    },
  )

  test('a repository’s link means its path, whatever the revision and the host', () => {
    const path = 'github.com/graphsense/graphsense-tagpacks/packs/ofac.yaml'
    expect(originPath(`${TAGPACKS}/ofac.yaml`)).toBe(path)
    expect(originPath('https://github.com/graphsense/graphsense-tagpacks/blob/feature/packs/ofac.yaml')).toBe(
      path,
    )
    expect(
      originPath('https://raw.githubusercontent.com/graphsense/graphsense-tagpacks/master/packs/ofac.yaml'),
    ).toBe(path)
  })

  test('only an authority’s own list is one', () => {
    expect(authorityOriginOf('ofac_sdn')).toBe('us-ofac')
    expect(authorityOriginOf('graphsense_tagpacks')).toBeNull()
    expect(authorityOriginOf('constructor')).toBeNull()
  })
})

describe('kinds and confidence', () => {
  test('an authority designates only for sanctions', () => {
    expect(classified('ofac_sdn', '', 'sanctions').kind).toBe('designation')
    expect(classified('ofac_sdn', '', 'mixer').kind).toBe('official_document')
    expect(classified('graphsense_tagpacks', `${TAGPACKS}/ofac.yaml`, 'sanctions').kind).toBe('restatement')
  })

  test('the file’s figure comes before the ladder', () => {
    const row = { source: 'unknown', sourceUrl: '', category: 'scam', entity: '' }
    expect(classifyLabel({ ...row, confidencePpm: 650_000 }).confidencePpm).toBe(650_000)
    expect(classifyLabel({ ...row, confidencePpm: null }).confidencePpm).toBe(400_000)
  })
})

describe('restatements of authorities', () => {
  test.each([
    ['us_ofac_sdn', 'us-ofac'],
    ['gb_hmt_sanctions', 'uk-ofsi'],
    ['gb_fcdo_sanctions', 'uk-ofsi'],
    ['eu_fsf', 'eu-fsf'],
    ['un_sc_sanctions', 'un-sc'],
    ['ch_seco_sanctions', 'ch-seco'],
    ['il_mod_crypto', 'il-nbctf'],
    ['ca_dfatd_sema_sanctions', 'ca-dfatd'],
  ])('%s of OpenSanctions counts as what %s designates, not as hearsay', (dataset, origin) => {
    const label = classified(`opensanctions:${dataset}`, 'https://example.org', 'sanctions')
    expect(label).toMatchObject({ origin, kind: 'restatement', role: 'owner', confidencePpm: 500_000 })
    expect(authorityOriginOf(`opensanctions:${dataset}`)).toBeNull()
  })

  test('another statement of an authority is an official document', () => {
    expect(classified('opensanctions:il_mod_crypto', '', 'darknet')).toMatchObject({
      origin: 'il-nbctf',
      kind: 'official_document',
      confidencePpm: 750_000,
    })
  })

  test.each([
    ['https://webgate.ec.europa.eu/fsd/fsf', 'eu-fsf'],
    ['https://scsanctions.un.org/resources/xml/en/consolidated.xml', 'un-sc'],
    ['https://nbctf.mod.gov.il/en', 'il-nbctf'],
  ])('a list that links to %s restates %s', (url, origin) => {
    expect(classified('my_list', url, 'sanctions')).toMatchObject({ origin, kind: 'restatement' })
  })
})

describe('subcategories', () => {
  test.each([
    ['graphsense_tagpacks', `${TAGPACKS}/sextortion_talos.yaml`, 'scam', 'sextortion'],
    ['graphsense_tagpacks', `${TAGPACKS}/ponzi_scheme.yaml`, 'scam', 'investment_fraud'],
    ['graphsense_tagpacks', `${TAGPACKS}/aft-alqaeda-forfeit_vc.yaml`, 'darknet', 'terrorist_financing'],
    ['graphsense_tagpacks', `${TAGPACKS}/aft-alqaeda-forfeit_vc.yaml`, 'sanctions', ''],
    ['showing_the_receipts', '', 'scam', 'ransomware'],
    ['address_poisoning_cmu', '', 'scam', 'address_poisoning'],
    ['fbi_ic3_psa_2025', '', 'stolen', 'hack'],
    ['ofac_sdn', '', 'sanctions', ''],
    ['a_list_nobody_knows', '', 'scam', ''],
  ])('%s %s (%s) is %s', (source, url, category, subcategory) => {
    expect(classified(source, url, category).subcategory).toBe(subcategory)
  })
})

describe('roles', () => {
  test.each([
    [
      'graphsense_tagpacks',
      `${TAGPACKS}/samourai.yaml`,
      'mixer',
      'Samourai Whirlpool participant',
      'participant',
    ],
    ['eth_labels_dawsbot', '', 'mixer', 'Tornado.Cash: 100 ETH', 'owner'],
    ['eth_labels_dawsbot', '', 'mixer', 'TORN Token (TORN)', 'infrastructure'],
    ['eth_labels_dawsbot', '', 'mixer', 'Tornado.Cash: Governance Vault', 'infrastructure'],
    ['eth_labels_dawsbot', '', 'scam', 'Fake Token Sale', 'owner'],
    ['forta_labelled_datasets', '', 'stolen', 'Multichain Exploiter 4 (Whitehat)', 'disputed'],
    ['graphsense_tagpacks', '', 'stolen', 'white hat of a bridge', 'disputed'],
    [
      'eth_labels_dawsbot',
      'https://github.com/dawsbot/eth-labels/blob/6aff38d/data/bscscan/compromised/accounts.json',
      'stolen',
      '',
      'disputed',
    ],
    ['forta_labelled_datasets', '', 'stolen', 'Multichain Exploiter 7', 'owner'],
    ['ofac_sdn', '', 'sanctions', 'WHITEHAT HOLDINGS', 'owner'],
  ])('%s %s %s "%s" is %s', (source, url, category, entity, role) => {
    expect(classified(source, url, category, entity).role).toBe(role)
  })
})

test.each([
  ['OFAC SDN', 'ofac_sdn'],
  ['ofac_sdn ', 'ofac_sdn'],
  ['us-ofac', 'ofac_sdn'],
  ['ＥＵ-FSF', 'eu_fsf'],
  ['ofac_sdn', null],
  ['opensanctions:us_ofac_sdn', null],
  ['my_list', null],
  ['', null],
])('the source %j reads like %j', (source, authority) => {
  expect(authorityReadLike(source)).toBe(authority)
})
