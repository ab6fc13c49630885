import type { LargeRead } from '@cupel/gate/http'
import { expect, test } from 'vitest'
import { openJobCases } from './open-job-cases.js'

test('a job is read in a turn, and whoever waits until its reports can be read takes none from others', async () => {
  const asked: string[] = []
  let isTurn = false
  const slice: LargeRead['slice'] = async (work) => {
    isTurn = true
    return await work().finally(() => (isTurn = false))
  }
  const items = ['a', 'b'].map((reportId) => ({ status: 'completed', level: 'red', reportId }))
  const bulk = {
    findItems: (_caller: unknown, _jobId: string, turn: LargeRead['slice']) =>
      turn(async () => {
        asked.push(`the job ${isTurn ? 'in a turn' : 'out of turn'}`)
        return { kind: 'job', job: { items } }
      }),
    largeReads: { during: (_caller: unknown, work: (read: object) => unknown) => work({ slice }) },
  }
  const find = async (_caller: unknown, reportId: string) => {
    asked.push(`${reportId} ${isTurn ? 'in a turn' : 'out of turn'}`)
    return { kind: 'behind' }
  }
  const cases = { database: { query: async () => [] }, reports: { find } }
  const { handle } = openJobCases(bulk as never, cases as never)
  const caller = { keyId: 'k', accountId: 'acc', session: null }
  const call = { caller, receivedMs: 0, seal: { sealOnce: (text: string) => text } }
  const inputs = { path: { job_id: 'job' }, body: { level: 'red', text: 'Red' } }
  const answer = (await handle(call as never, inputs as never)) as unknown as { readonly body: string }
  expect(asked).toEqual(['the job in a turn', 'a out of turn', 'b out of turn'])
  expect(JSON.parse(answer.body)).toMatchObject({ opened: 0, left_out: 2 })
})
