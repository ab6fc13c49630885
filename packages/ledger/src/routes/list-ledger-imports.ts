/** GET /v1/ledger/imports: the imported files of the ledger, and the imports that are not complete. */
import { instant } from '@cupel/contracts'
import { leftOut, listImports, type ImportState } from '../index.js'
import { z } from 'zod'
import {
  chainParameter,
  jsonAnswer,
  keyedEndpoint,
  pageSchema,
  pageSize,
  pageToken,
  unknownPageToken,
  type Endpoint,
} from '@cupel/gate/http'
import type { LedgerParts } from './get-ledger.js'

const LIST = 'ledger-imports'
const DEFAULT_PAGE_SIZE = 20

const importComponent = z
  .object({
    import_id: z.int(),
    state: z
      .string()
      .describe(
        '`imported`; `importing`: not complete, and it runs; `interrupted`: not complete until somebody imports the file again.',
      ),
    ledger_seq: z
      .int()
      .nullable()
      .describe('The number of the state of the ledger; null until it is complete.'),
    chain: z.string(),
    format: z.string(),
    file_name: z.string(),
    sha256: z.string(),
    covers: z.array(z.string()).describe('Kinds of transfers that the declared range covers.'),
    complete_from: z
      .int()
      .nullable()
      .describe('First height that is declared complete; null without a range.'),
    complete_to: z.int().nullable(),
    replaces: z.boolean().describe('Transfers of the range that the file does not contain were retired.'),
    rows: z.int().min(0).describe('Rows that were read so far.'),
    added: z.int().min(0).describe('Transfers that no earlier file had.'),
    known: z.int().min(0),
    retired: z.int().min(0),
    left_out: z
      .array(z.object({ reason: z.string(), rows: z.int().min(0) }).meta({ id: 'LedgerLeftOut' }))
      .describe('Rows that are not counted transfers.'),
    first_height: z.int().nullable(),
    last_height: z.int().nullable(),
    asset_table: z.string().describe('Version of the table of assets with which it was read.'),
    started_at: instant,
    imported_at: instant.nullable(),
    imported_by: z.string(),
  })
  .meta({ id: 'LedgerImport' })

const example: z.infer<typeof importComponent> = {
  ...{ import_id: 14, state: 'imported', ledger_seq: 12, chain: 'ETH', format: 'ethereum-etl' },
  ...{ file_name: 'token_transfers.csv', sha256: '5a'.repeat(32), covers: ['token'] },
  ...{ complete_from: 18_500_000, complete_to: 21_400_000, replaces: false },
  ...{ rows: 1_204_118, added: 980_022, known: 0, retired: 0 },
  left_out: [{ reason: 'unknown_asset', rows: 224_096 }],
  ...{ first_height: 18_500_000, last_height: 21_400_000, asset_table: '1.0.0' },
  ...{ started_at: '2026-11-21T08:51:00.000Z', imported_at: '2026-11-21T08:55:00.000Z' },
  imported_by: 'operator:ledger',
}

const importsQuery = z.strictObject({
  chain: chainParameter.describe('Only imports of this chain.'),
  page_size: pageSize(DEFAULT_PAGE_SIZE),
  page_token: pageToken,
})

export function listLedgerImports({ database, tokens }: LedgerParts): Endpoint {
  return keyedEndpoint<undefined, z.infer<typeof importsQuery>>({
    operationId: 'listLedgerImports',
    method: 'GET',
    path: '/v1/ledger/imports',
    tag: 'Ledger',
    summary: 'List the imports of the ledger',
    description:
      'Newest first. What providers said of single addresses is not among them. For operators: all accounts share the ledger.',
    access: 'operator',
    querySchema: importsQuery,
    answers: [
      {
        status: 200,
        description: 'A page of imports.',
        contentType: 'application/json',
        schema: pageSchema(importComponent),
        example: { items: [example], next_page_token: null },
      },
    ],
    problems: ['unavailable'],
    async handle(_call, { query: { chain, page_size: size, page_token: token } }) {
      const scope = [LIST, chain ?? '']
      const position = token === undefined ? null : tokens.open(scope, token)
      if (position === null && token !== undefined) return unknownPageToken()
      const before = position === null ? null : Number(position[0])
      const { items, next } = await listImports(database, {
        ...(chain === undefined ? {} : { chain }),
        ...{ before, pageSize: size },
      })
      const nextToken = next === null ? null : tokens.seal(scope, [String(next)])
      return jsonAnswer(200, JSON.stringify({ items: items.map(documentOf), next_page_token: nextToken }))
    },
  })
}

const documentOf = (one: ImportState): z.infer<typeof importComponent> => ({
  ...{ import_id: one.segmentId, state: one.state, ledger_seq: one.ledgerSeq, chain: one.chain },
  ...{ format: one.format, file_name: one.fileName, sha256: one.sha256, covers: [...one.covers] },
  ...{ complete_from: one.completeFrom, complete_to: one.completeTo, replaces: one.replaces },
  rows: one.rowsDone,
  added: one.counts['added'] ?? 0,
  known: one.counts['known'] ?? 0,
  retired: one.counts['retired'] ?? 0,
  left_out: Object.entries(leftOut(one.counts)).map(([reason, rows]) => ({ reason, rows })),
  ...{ first_height: one.firstHeight, last_height: one.lastHeight, asset_table: one.assetTableVersion },
  ...{ started_at: one.startedAt, imported_at: one.publishedAt, imported_by: one.importedBy },
})
