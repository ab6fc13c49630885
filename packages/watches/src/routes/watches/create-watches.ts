/** POST /v1/watches: watches up to a thousand addresses. */
import { MAX_ADDRESS_LENGTH, parseAddress, plans, screenedAddress, withoutApiKeys } from '@cupel/domain'
import {
  createWatches,
  DEFAULT_THRESHOLD,
  findBatch,
  hundredths,
  MAX_REFERENCE_LENGTH,
  MAX_THRESHOLD,
  MAX_WATCHES_PER_CALL,
  MIN_THRESHOLD,
  newBatchId,
  type NewWatch,
  type Watch,
} from '../../index.js'
import { z } from 'zod'
import {
  jsonAnswer,
  keyedEndpoint,
  recorded,
  type Answer,
  type Endpoint,
  type Judgement,
  refuse,
  type Refusal,
  statuses,
  chainCode,
  orAbsent,
  text,
  isInCalendar,
  NO_SUCH_TIME,
} from '@cupel/gate/http'
import {
  authorOf,
  listReasons,
  ownerOf,
  watchComponent,
  watchDocument,
  watchExample,
  type WatchParts,
} from './watch-description.js'

/** Faulty addresses that one answer names. */
const MAX_NAMED_FAULTS = 100

const newWatchComponent = z
  .strictObject({
    // parseAddress checks the length, so that every faulty address is the same problem.
    address: z
      .string()
      .meta({ minLength: 1, maxLength: MAX_ADDRESS_LENGTH, pattern: '^[!-~]*$' })
      .describe('The address to watch, in any form that its chain allows.'),
    chain: chainCode.describe('Chain code, in any case; absent or null: detected from the address.'),
    reference: orAbsent(
      text(MAX_REFERENCE_LENGTH)
        // Webhooks, and the logs of their receivers, would contain it.
        .refine((reference) => withoutApiKeys(reference) === reference, {
          error: 'This looks like an API key',
        }),
    ).describe('Your own reference, repeated in what is told of a change; null is the same as none.'),
    until: orAbsent(z.iso.datetime({ offset: true }).refine(isInCalendar, NO_SUCH_TIME)).describe(
      'From then on the address is not decided again; RFC 3339, in the future. Absent or null: without an end.',
    ),
    threshold: orAbsent(
      z
        .number()
        .min(MIN_THRESHOLD)
        .max(MAX_THRESHOLD)
        .refine((points) => Math.abs(points * 100 - hundredths(points)) < 1e-6, {
          error: 'At most two decimals',
        }),
    ).describe(
      `Points by which the score must move, up or down, to be a change; ${DEFAULT_THRESHOLD} where absent. A changed level is always one.`,
    ),
    digest: orAbsent(z.boolean()).describe(
      'True if the watch is part of the daily digest, the webhook `watches.digest`; absent or null: it is not.',
    ),
  })
  .meta({ id: 'NewWatchRequest' })

const watchesBody = z
  .strictObject({
    watches: z
      .array(newWatchComponent)
      .min(1, { error: 'At least one address is needed' })
      .max(MAX_WATCHES_PER_CALL, { error: `At most ${MAX_WATCHES_PER_CALL} addresses in a call` })
      .describe('One or many: all of them are watched, or none.'),
  })
  .meta({ id: 'WatchesRequest' })
type WatchesBody = z.infer<typeof watchesBody>

const madeWatches = z
  .object({ items: z.array(watchComponent).describe('In the order of the call.') })
  .meta({ id: 'MadeWatches' })

export function createWatchesEndpoint({ database, reportPageUrl, plansInForce }: WatchParts): Endpoint {
  return keyedEndpoint<undefined, undefined, WatchesBody, readonly NewWatch[]>({
    operationId: 'createWatches',
    method: 'POST',
    path: '/v1/watches',
    tag: 'Watches',
    summary: 'Watch addresses',
    description: `Watches 1 to ${MAX_WATCHES_PER_CALL.toLocaleString('en')} addresses, all of them or none. Each is screened at once, after interactive screens, and again whenever a list, a ledger segment, a policy or a scorer comes that can touch it. Where the level changes, or the score moves by at least the threshold, the webhook endpoints of the account receive \`report.changed\`. An address that is watched already keeps its watch and takes the settings of this call. An account of the pro plan has at most ${plans.pro.maxWatches.toLocaleString('en')} watches in each environment, of the enterprise plan ${plans.enterprise.maxWatches.toLocaleString('en')} unless the operator allows fewer. Under an \`Idempotency-Key\` a repeat is answered with the watches of the first call, for 24 hours, with \`Idempotency-Replayed: true\`.`,
    access: 'read-write',
    bodySchema: watchesBody,
    bodyExample: { watches: [{ address: watchExample.address, reference: watchExample.reference }] },
    answers: [
      {
        status: statuses.created,
        description: 'The watches.',
        contentType: 'application/json',
        schema: madeWatches,
        example: { items: [{ ...watchExample, last_report: null }] },
      },
    ],
    problems: ['invalid_address', 'unsupported_chain', 'chain_mismatch', 'too_many_watches', 'unavailable'],
    judge: ({ body }) => judgeWatches(body),
    idempotency: {
      newWorkId: () => Promise.resolve(newBatchId()),
      async replay(call, batchId) {
        const watches = await findBatch(database, ownerOf(call), batchId)
        return watches === null
          ? { kind: 'none' }
          : { kind: 'answer', answer: made(watches, await listReasons(database, ownerOf(call))) }
      },
    },
    async handle(call, { judged }) {
      const references = await call.seal.sealReferences(judged.map(({ reference }) => reference ?? ''))
      const result = await createWatches(database, {
        ...authorOf(call, statuses.created),
        batchId: call.work?.id ?? newBatchId(),
        watches: judged.map((watch, index) => ({
          ...watch,
          reference: watch.reference === null ? null : references[index]!,
        })),
        maxWatches: plansInForce[call.caller.plan].maxWatches,
        reportPageUrl: reportPageUrl(),
      })
      if (result.ok) return recorded(made(result.watches, await listReasons(database, ownerOf(call))))
      const { name, maxWatches } = plansInForce[call.caller.plan]
      return refuse('too_many_watches', `An account of the ${name} plan has at most ${maxWatches} watches.`)
    },
  })
}

function made(watches: readonly Watch[], reasons: readonly string[]): Answer {
  const items = watches.map((watch) => watchDocument(watch, reasons))
  return jsonAnswer(statuses.created, JSON.stringify({ items }))
}

/** The one place where the addresses of watches are parsed. The first fault gives the answer its code. */
function judgeWatches({ watches }: WatchesBody): Judgement<readonly NewWatch[]> | Refusal {
  const judged: NewWatch[] = []
  const faults: { code: Parameters<typeof refuse>[0]; pointer: string; detail: string }[] = []
  const indexOf = new Map<string, number>()
  for (const [index, one] of watches.entries()) {
    const parsed = parseAddress(one.address, one.chain)
    if (!parsed.ok) {
      const field = parsed.code === 'invalid_address' ? 'address' : 'chain'
      faults.push({ code: parsed.code, pointer: `/watches/${index}/${field}`, detail: parsed.detail })
      continue
    }
    const screened = screenedAddress(parsed)
    const key = `${screened.chain} ${screened.canonicalAddress}`
    const twin = indexOf.get(key)
    if (twin === undefined) indexOf.set(key, index)
    else faults.push(fault(index, 'address', `The same address is at /watches/${twin}.`))
    if (one.until !== undefined && Date.parse(one.until) <= Date.now())
      faults.push(fault(index, 'until', 'The time lies in the past.'))
    judged.push({
      ...screened,
      lookupKey: parsed.lookupKey,
      reference: one.reference ?? null,
      until: one.until === undefined ? null : new Date(one.until).toISOString(),
      thresholdHundredths: hundredths(one.threshold ?? DEFAULT_THRESHOLD),
      digest: one.digest ?? false,
    })
  }
  const [first] = faults
  if (first === undefined) return { judged }
  const errors = faults.slice(0, MAX_NAMED_FAULTS).map(({ pointer, detail }) => ({ pointer, detail }))
  return refuse(first.code, first.detail, { errors })
}

function fault(index: number, field: string, detail: string) {
  return { code: 'invalid_request', pointer: `/watches/${index}/${field}`, detail } as const
}
