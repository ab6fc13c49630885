/** GET /bulk/{job_id}/events: the stream of the API, passed on to the browser. */
import { raw, type Page } from '@cupel/console'
import { apiPathOf } from './job.js'

export const followJob: Page = {
  method: 'GET',
  path: '/bulk/{job_id}/events',
  access: 'session',
  async handle({ api, path, headers, signal }) {
    const lastEventId = headers['last-event-id']
    const reply = await api.open(apiPathOf(path['job_id'], '/events'), {
      ...{ signal, isEndless: true },
      headers: {
        accept: 'text/event-stream',
        ...(typeof lastEventId === 'string' ? { 'last-event-id': lastEventId } : {}),
      },
    })
    const type = reply.headers['content-type']
    return raw(
      reply.body,
      { ...(type === undefined ? {} : { 'content-type': type }), 'x-accel-buffering': 'no' },
      reply.status,
    )
  },
}
