/** GET /bulk/{job_id}/events: the stream of the API, passed on to the browser. */
import { raw, type Page } from '../../server/page.js'
import { apiPathOf } from './job.js'

/**
 * Streams that this process passes on at once, in all and for one account; each holds a connection to the API. A page beyond them is refreshed
 * by hand.
 */
const MAX_STREAMS = 512
const MAX_STREAMS_OF_ACCOUNT = 32
const TOO_MANY = 503

/** The accounts of the open streams, each as often as it has streams. */
const open: string[] = []

export const followJob: Page = {
  method: 'GET',
  path: '/bulk/{job_id}/events',
  access: 'session',
  async handle({ api, path, headers, signal, session }) {
    const { accountId } = session!
    const ofAccount = open.filter((one) => one === accountId).length
    if (open.length >= MAX_STREAMS || ofAccount >= MAX_STREAMS_OF_ACCOUNT)
      return raw(null, { 'retry-after': '10' }, TOO_MANY)
    open.push(accountId)
    const close = (): void => void open.splice(open.indexOf(accountId), 1)
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
