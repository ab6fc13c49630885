/** POST /v1/transfers: one transfer in, a recommendation out. Its counterparty is screened, and the report of that has the evidence. */
import type { Caller, ReportIds } from '@cupel/gate/access'
import {
  MAX_ADDRESS_LENGTH,
  readTransfer,
  screenedAddress,
  severalTransfers,
  type ReadTransfer,
} from '@cupel/domain'
import { z } from 'zod'
import {
  keyedEndpoint,
  type Endpoint,
  type Judgement,
  type LargeReads,
  preferredWait,
  refuse,
  type Refusal,
  statuses,
  MAX_REFERENCE_LENGTH,
  orAbsent,
  ownText,
  requiredChain,
  text,
} from '@cupel/gate/http'
import { lateOf, sandboxScript } from '../sandbox/sandbox-script.js'
import { REPLAY_WAIT_MS, type ReportReader } from '@cupel/reports/routes'
import { answerOf, replayOf, type ShownReport } from '../calls/screen-answers.js'
import type { Screens } from '../calls/screens.js'
import type { CompletedTransfer, TransferReads } from '../calls/transfer-reads.js'
import { PREFER } from '../screen/create-screen.js'
import { transferComponent, transferExample, transferText } from '@cupel/reports/document'

const MAX_ASSET_LENGTH = 128
const MAX_AMOUNT_LENGTH = 100
const MAX_HASH_LENGTH = 128
/** The next look at the ledger may find what the log states. */
const LEDGER_RETRY_SECONDS = 1

const address = (meaning: string) =>
  orAbsent(z.string().meta({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH, pattern: '^[!-~]*$' })).describe(
    meaning,
  )

const transferBody = z
  .strictObject({
    chain: requiredChain.describe('Chain code, in any case.'),
    direction: z
      .enum(['incoming', 'outgoing'])
      .describe('incoming: `to` is your own address and the sender is screened. outgoing: the reverse.'),
    from: address('The sender.'),
    to: address('The receiver.'),
    asset: orAbsent(text(MAX_ASSET_LENGTH)).describe(
      'Symbol of a known asset of the chain, such as ETH or USDT, or the contract of a token.',
    ),
    contract: orAbsent(text(MAX_ADDRESS_LENGTH)).describe(
      'Contract of the token whose symbol `asset` is. A symbol that belongs to another contract is named.',
    ),
    amount: orAbsent(text(MAX_AMOUNT_LENGTH)).describe(
      'A plain decimal number in whole ones, such as `12.5`.',
    ),
    transaction_hash: orAbsent(text(MAX_HASH_LENGTH)).describe(
      'Absent for a planned transfer. With it the other side, asset and amount may be absent: they are then those that the ledger has, or else a provider.',
    ),
    reference: ownText(MAX_REFERENCE_LENGTH).describe('Your own reference, returned with the transfer.'),
  })
  .meta({ id: 'TransferRequest' })
type TransferBody = z.infer<typeof transferBody>

export interface TransferParts {
  readonly screens: Screens
  readonly reports: ReportReader
  readonly reportIds: Pick<ReportIds, 'next'>
  readonly transferReads: TransferReads
  readonly bulk: { readonly largeReads: Pick<LargeReads, 'open' | 'during'> }
}

const asTransfer: ShownReport = {
  body(document) {
    const shown = transferText(document)
    if (shown === null) throw new TypeError('The report of a transfer has no transfer')
    return shown
  },
  pathOf: (reportId) => `/v1/transfers/${reportId}`,
}

export function createTransfer({ screens, reports, reportIds, ...reads }: TransferParts): Endpoint {
  return keyedEndpoint<undefined, undefined, TransferBody, ReadTransfer>({
    operationId: 'createTransfer',
    method: 'POST',
    path: '/v1/transfers',
    tag: 'Transfers',
    summary: 'Screen one transfer',
    description:
      'Screens the counterparty of a transfer, planned or made, and recommends `allow`, `review` or `reject` by the policy. The recommendation is never better than the level of the counterparty lets it be, and what is not known is never allowed. `transfer_id` is also the id of the report of the counterparty, which has the evidence, the PDF and the proof. With a `transaction_hash` the ledger is read: it confirms what you state, or tells what you leave out. A transaction that the ledger did not read is looked for at a provider, if the operator allows it; `ledger` says what it told. What you leave out must be certain: a transaction with several such transfers is refused by name, and so is one that nobody told. Your own address is looked up in the lists. A call counts as one screen, and repeats under its `Idempotency-Key` like one.',
    headers: { Prefer: PREFER },
    access: 'read-write',
    goesFirst: true,
    bodySchema: transferBody,
    bodyExample: {
      chain: 'ETH',
      direction: 'incoming',
      from: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
      to: '0x00000000219ab540356cBB839Cbe05303d7705Fa',
      asset: 'USDT',
      amount: '250.5',
    },
    answers: [
      {
        status: statuses.ok,
        description: 'The recommendation, with its reasons.',
        contentType: 'application/json',
        schema: transferComponent,
        headers: {
          Location: { description: 'Path of the transfer.', schema: z.string() },
          'Preference-Applied': {
            description: 'The wait that was granted, such as `wait=10`.',
            schema: z.string(),
            optional: true,
          },
        },
        example: transferExample,
      },
    ],
    problems: [
      'invalid_address',
      'unsupported_chain',
      'chain_mismatch',
      'transfer_not_found',
      'transfer_ambiguous',
      'screening_failed',
      'screening_timeout',
      'unavailable',
    ],
    judge: ({ body }) => judgeBody(body),
    idempotency: {
      newWorkId: () => reportIds.next(),
      replay: async (call, reportId) =>
        replayOf(await reports.find(call.caller, reportId, REPLAY_WAIT_MS), reportId, asTransfer),
    },
    async handle(call, { body: { reference }, judged }) {
      const completed = await complete(reads, call.caller, judged)
      if ('code' in completed) return completed
      const screened = screenedAddress(completed.screened)
      const script = sandboxScript(call.caller, screened.canonicalAddress)
      if (script.kind === 'refusal') return script.refusal
      await script.delay
      const [customerReference = null] =
        reference === undefined ? [] : await call.seal.sealReferences([reference])
      const waitSeconds = preferredWait(call.headers)
      const transfer = completed.terms
      const result = await screens.screen({ call, ...screened, customerReference, waitSeconds, transfer })
      return answerOf(script.kind === 'late' ? lateOf(result) : result, asTransfer)
    },
  })
}

/** A search of many transfers is a large read: it has a slice, and its key and account have a few of them. */
async function complete(
  { transferReads, bulk: { largeReads } }: Pick<TransferParts, 'transferReads' | 'bulk'>,
  caller: Caller,
  stated: ReadTransfer,
): Promise<Extract<CompletedTransfer, { kind: 'terms' }> | Refusal> {
  const completed = await transferReads.complete(caller, stated, async (search) => {
    const read = largeReads.open(caller)
    return 'code' in read ? read : await read.slice(search).finally(() => read.close())
  })
  return 'code' in completed || completed.kind === 'terms' ? completed : refusalOf(completed)
}

/** The one place where a stated transfer is parsed. */
function judgeBody(body: TransferBody): Judgement<ReadTransfer> | Refusal {
  const read = readTransfer(body)
  if (!('pointer' in read)) return { judged: read }
  const { code, pointer, detail } = read
  return refuse(code, detail, { errors: [{ pointer, detail }] })
}

function refusalOf(completed: Exclude<CompletedTransfer, { kind: 'terms' }>): Refusal {
  if (completed.kind === 'unavailable')
    return refuse('unavailable', completed.because, { retryAfterSeconds: LEDGER_RETRY_SECONDS })
  const pointer = '/transaction_hash'
  if (completed.kind === 'not-found') {
    const detail =
      'The ledger has no such transfer of your address in this transaction. State sender, receiver, asset and amount to screen it without the ledger.'
    return refuse('transfer_not_found', detail, { errors: [{ pointer, detail }] })
  }
  const detail = severalTransfers(completed.found)
  return refuse('transfer_ambiguous', detail, { errors: [{ pointer, detail }] })
}
