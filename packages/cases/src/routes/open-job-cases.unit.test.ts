import type { LargeRead } from '@cupel/gate/http'
import { RecordRetiredError, type FoundReport } from '@cupel/reports/routes'
import { expect, test } from 'vitest'
import { openJobCases } from './open-job-cases.js'

/** Opens cases for the red reports `a` and `b` of a job. */
async function opening(
  find: (reportId: string) => Promise<FoundReport>,
  slice: LargeRead['slice'],
  onJob: () => void = () => undefined,
): Promise<object> {
  const items = ['a', 'b'].map((reportId) => ({ status: 'completed', level: 'red', reportId }))
  const bulk = {
    findItems: (_caller: unknown, _jobId: string, turn: LargeRead['slice']) =>
      turn(async () => {
        onJob()
        return { kind: 'job', job: { items } }
      }),
    largeReads: { during: (_caller: unknown, work: (read: object) => unknown) => work({ slice }) },
  }
  const reports = { find: (_caller: unknown, reportId: string) => find(reportId) }
  const cases = { database: { query: async () => [] }, reports }
  const { handle } = openJobCases(bulk as never, cases as never)
  const caller = { keyId: 'k', accountId: 'acc', session: null }
  const call = { caller, receivedMs: 0, seal: { sealOnce: (text: string) => text } }
  const inputs = { path: { job_id: 'job' }, body: { level: 'red', text: 'Red' } }
  const answer = (await handle(call as never, inputs as never)) as unknown as { readonly body: string }
  return JSON.parse(answer.body) as object
}

test('a job is read in a turn, and whoever waits until its reports can be read takes none from others', async () => {
  const asked: string[] = []
  let isTurn = false
  const slice: LargeRead['slice'] = async (work) => {
    isTurn = true
    return await work().finally(() => (isTurn = false))
  }
  const where = (what: string): void => void asked.push(`${what} ${isTurn ? 'in a turn' : 'out of turn'}`)
  const find = async (reportId: string): Promise<FoundReport> => {
    where(reportId)
    return { kind: 'behind' }
  }
  const answer = await opening(find, slice, () => where('the job'))
  expect(asked).toEqual(['the job in a turn', 'a out of turn', 'b out of turn'])
  expect(answer).toMatchObject({ opened: 0, left_out: 2 })
})

test('a report in an archive keeps no other one from its case, and is refused in the end', async () => {
  const retired = new RecordRetiredError('In an archive', {
    archive: 'far',
    month: '2025-10',
    cutAt: '2026-01-01',
  })
  const asked: string[] = []
  const find = async (reportId: string): Promise<FoundReport> => {
    asked.push(reportId)
    if (reportId === 'a') throw retired
    return { kind: 'behind' }
  }
  await expect(opening(find, (work) => work())).rejects.toBe(retired)
  expect(asked).toEqual(['a', 'b'])
})
