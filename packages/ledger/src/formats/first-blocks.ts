/** The UTC day of the first block of each chain: no transfer is older. A day that is not certain is given too early. */

// Sources: the genesis or first block of each chain in its own explorer and client.
// prettier-ignore
const firstDays: Readonly<Record<string, string>> = {
  BTC: '2009-01-03', BCH: '2009-01-03', BSV: '2009-01-03', BTG: '2009-01-03', LTC: '2011-10-07', DOGE: '2013-12-06',
  DASH: '2014-01-18', ZEC: '2016-10-28', XVG: '2014-10-09', ETH: '2015-07-30', ETC: '2015-07-30', BSC: '2020-04-20',
  MATIC: '2020-05-30', ARB: '2021-05-28', OP: '2021-01-01', BASE: '2023-06-15', AVAX: '2020-09-01', FTM: '2019-12-01',
  GNO: '2018-10-01', CELO: '2020-04-01', LINEA: '2022-12-01', ZKSYNC: '2023-02-01', SCROLL: '2023-10-01', MNT: '2023-06-01',
  TRX: '2018-06-25', SOL: '2020-03-16', XRP: '2012-06-01', XMR: '2014-04-18', TON: '2019-11-01', ADA: '2017-09-23',
  BNB: '2019-04-01', ATOM: '2019-03-13', DOT: '2020-05-01', XLM: '2015-09-01', ALGO: '2019-06-01',
}
/** No chain began before Bitcoin. */
const EARLIEST = '2009-01-03'

/** Seconds since 1970. */
export const firstBlockAtS = (chain: string): number => Date.parse(firstDays[chain] ?? EARLIEST) / 1_000
