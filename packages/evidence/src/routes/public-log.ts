/** The log for everybody, if the operator opens it. Such reads ask the database of customers, so that a few of them are under way at once. */
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
  let underWay = 0
  const waiting: (() => void)[] = []
  const opened = ({ handle }: Endpoint) => {
    const read = handle as (call: Call, inputs: unknown) => Promise<Answer | Refusal>
    return async (call: Call, inputs: unknown): Promise<Answer | Refusal> => {
      if (waiting.length >= MAX_WAITING_READS)
        return refuse('unavailable', 'Too many callers without a key read the log.', {
          retryAfterSeconds: RETRY_SECONDS,
        })
      if (underWay < MAX_PUBLIC_READS) underWay += 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        await traffic.quietMoment()
        const answer = await read(call, inputs)
        if ('code' in answer) return answer
        const kept = answer.headers?.['cache-control']
        // Nobody needs a key for it, so that a cache in front may keep it for all.
        return kept === undefined
          ? answer
          : {
              ...answer,
              headers: { ...answer.headers, 'cache-control': String(kept).replace('private', 'public') },
            }
      } finally {
        const next = waiting.shift()
        if (next === undefined) underWay -= 1
        else next()
      }
    }
  }
  return endpoints.map((endpoint) => ({ ...endpoint, access: 'open', handle: opened(endpoint) }) as Endpoint)
}
