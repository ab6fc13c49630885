/** The log for everybody, if the operator opens it. Such reads ask the database of customers, so that a few of them are under way at once. */
import { createSlots } from '@cupel/kit/concurrency'
import { type Answer, type Call, type Endpoint, refuse, type Refusal, type Traffic } from '@cupel/gate/http'

/** A read takes some milliseconds; further ones wait in turn. */
export const MAX_PUBLIC_READS = 4
export const MAX_WAITING_READS = 128
const RETRY_SECONDS = 1

/** The endpoints without a key. Their handlers read nothing of the caller. */
export function openToEverybody(
  endpoints: readonly Endpoint[],
  traffic: Pick<Traffic, 'quietMoment'>,
): readonly Endpoint[] {
  const inTurn = createSlots(MAX_PUBLIC_READS)
  let asked = 0
  const opened = ({ handle }: Endpoint) => {
    const read = handle as (call: Call, inputs: unknown) => Promise<Answer | Refusal>
    return async (call: Call, inputs: unknown): Promise<Answer | Refusal> => {
      if (asked >= MAX_PUBLIC_READS + MAX_WAITING_READS)
        return refuse('unavailable', 'Too many callers without a key read the log.', {
          retryAfterSeconds: RETRY_SECONDS,
        })
      asked += 1
      try {
        return await inTurn(async () => {
          await traffic.quietMoment()
          const answer = await read(call, inputs)
          const kept = 'code' in answer ? undefined : answer.headers?.['cache-control']
          if (kept === undefined) return answer
          // Nobody needs a key for it, so that a cache in front may keep it for all.
          const open = { 'cache-control': String(kept).replace('private', 'public') }
          return { ...answer, headers: { ...answer.headers, ...open } } as Answer
        })
      } finally {
        asked -= 1
      }
    }
  }
  return endpoints.map((endpoint) => ({ ...endpoint, access: 'open', handle: opened(endpoint) }) as Endpoint)
}
