/** Addresses that play a part in the tests of policies and proofs. */
export const SANCTIONED = {
  address: '0x1111111111111111111111111111111111111111',
  row: '0x1111111111111111111111111111111111111111,ETH,sanctions,Designated Group,ofac_sdn,https://example.org/sdn,0.99,2026-11-20',
}

/** A scam by one source at 0.8: 72 points, red; revised to 0.6: 54, orange. */
export const MIXED = {
  address: '0x2222222222222222222222222222222222222222',
  row: '0x2222222222222222222222222222222222222222,ETH,scam,Some Scam,my_list,https://example.org/list,0.8,2026-11-20',
  revisedRow:
    '0x2222222222222222222222222222222222222222,ETH,scam,Some Scam,my_list,https://example.org/list,0.6,2026-11-21',
}

export const UNLISTED = { address: '0x3333333333333333333333333333333333333333' }

/** A magic address of the sandbox. */
export const magicAddress = '0x0000000000000000000000000000000000000001'

/** Options that make a set of OFAC rows the whole list, dated today. Without such a list nothing is green. */
export const wholeList = (): readonly string[] => ['--whole', '--as-of', new Date().toISOString()]
