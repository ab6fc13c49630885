/** The words for where money came from and went to. */
import { count, grouped } from './counting.js'
import type { FlowKind } from './document.js'

export const flowEn = {
  title: 'Where the money came from and went to',
  intro: 'All value that the ledger knows, divided by what it is attributed to.',
  nothing: 'The ledger shows no value that came to or went from this address.',
  unknown: 'The ledger was not examined.',
  head: ['Asset and attribution', 'Value', 'US dollars', 'Share'],
  subject: 'Screened address',
  more: (number: number) => `and ${grouped(number)} more`,
  part: (asset: string, category: string, relation: string) =>
    relation === '' ? `${asset}: ${category}` : `${asset}: ${category}, ${relation}`,
  total: (asset: string) => `${asset}: total`,
  kinds: {
    subject: { sign: '', word: 'Screened address' },
    designated: { sign: '■', word: 'designated' },
    risk: { sign: '▲', word: 'risk' },
    service: { sign: '●', word: 'known service' },
    issued: { sign: '●', word: 'issuance' },
    hub: { sign: '○', word: 'hub' },
    unknown: { sign: '?', word: 'not known whose' },
    between: { sign: '↔', word: 'passed through' },
    others: { sign: '+', word: 'grouped' },
    unread: { sign: '?', word: 'not read' },
  } satisfies Record<FlowKind, { readonly sign: string; readonly word: string }>,
  what: (kind: string, category: string, relation: string) =>
    [category === '' ? kind : `${category} (${kind})`, relation].filter((text) => text !== '').join(', '),
  addresses: (name: string, number: number) => `${name}, ${grouped(number)} addresses`,
  dates: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
  assets: (value: string, others: number) =>
    others === 0 ? value : `${value} and ${count(others, 'more asset', 'more assets')}`,
  severalAssets: (dollars: string, number: number) => `${dollars} in ${number} assets`,
  between: (steps: number) => (steps === 2 ? 'between' : `1 of ${steps - 1} between`),
  carried: { in: (name: string) => `From: ${name}`, out: (name: string) => `To: ${name}` },
  unread: 'More may exist',
  unreadDetail: 'not read, see below',
  notes: {
    widths: 'The width of a line shows its value in US dollars.',
    assetWidths: 'The width of a line shows its value.',
    noWidths: 'Lines have one width, because some values have no price.',
    dashed:
      'A dashed line is value that passed through addresses which the picture does not show, or that was not read.',
    between: 'Where value passed through other addresses, the picture shows one path of it.',
  },
  partiesTitle: 'The parties in the picture',
  unnamed: (number: number) =>
    `${count(number, 'further address is', 'further addresses are')} counted in the report and not named.`,
}
