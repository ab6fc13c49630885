/** GET /bulk/{job_id}/events: the stream of the API, passed on to the browser. */
import { raw, type Page } from '../../server/page.js'
import { apiPathOf } from './job.js'

/** Streams that this process passes on at once; each holds a connection to the API. A page beyond them is refreshed by hand. */
const MAX_STREAMS = 64
const TOO_MANY = 503

let open = 0

export const followJob: Page = {
  method: 'GET',
  path: '/bulk/{job_id}/events',
  access: 'session',
  async handle({ api, path, headers, signal }) {
    if (open >= MAX_STREAMS) return raw(null, { 'retry-after': '10' }, TOO_MANY)
    open += 1
    const close = (): void => void (open -= 1)
    const lastEventId = headers['last-event-id']
    try {
      const reply = await api.open(apiPathOf(path['job_id'], '/events'), {
        ...{ signal, isEndless: true },
        headers: {
          accept: 'text/event-stream',
          ...(typeof lastEventId === 'string' ? { 'last-event-id': lastEventId } : {}),
        },
      })
      reply.body.once('close', close)
      const type = reply.headers['content-type']
      return raw(
        reply.body,
        { ...(type === undefined ? {} : { 'content-type': type }), 'x-accel-buffering': 'no' },
        reply.status,
      )
    } catch (error) {
      close()
      throw error
    }
  },
}
