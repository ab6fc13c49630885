import { describe, expect, test, vi } from 'vitest'
import type { Decision, Request } from './lane.js'
import { createPatience } from './patience.js'

const REQUESTED_AT = Date.parse('2026-11-28T12:00:00.000Z')

function requestWith(stagesByAt: string | null): Request {
  const data = { livemode: true, address: '0x', canonicalAddress: '0x', chain: 'ETH', candidateChains: [] }
  return { type: 'ScreenRequested', data: { ...data, stagesByAt } } as unknown as Request
}

const decisionWith = (score: number, missing?: readonly string[]): Decision => {
  const coverage = missing === undefined ? {} : { missing_stages: missing }
  return {
    kind: 'report',
    event: { type: 'ReportGenerated', data: { report: JSON.stringify({ coverage, score }) } },
  } as unknown as Decision
}
const whole = decisionWith(70)
const lacking = decisionWith(0, ['exposure'])
const untold: Decision = { kind: 'refused', code: 'unavailable', detail: 'late' }
const notFound: Decision = { kind: 'refused', code: 'transfer_not_found', detail: 'none' }

function patienceAt(nowMs: number, settled: () => Promise<unknown> = async () => undefined) {
  const begunMs = performance.now()
  return createPatience({ now: () => new Date(nowMs + performance.now() - begunMs), settled })
}

/** Decides once; `decide` answers again for each later decision. */
async function wait(
  decide: () => Promise<Decision>,
  stagesByAt: string | null,
  settled?: () => Promise<unknown>,
) {
  const [decided] = await patienceAt(REQUESTED_AT, settled).after(async () => [decide()])([
    requestWith(stagesByAt),
  ])
  const decision = await decided
  if (decision?.kind !== 'report' && decision?.kind !== 'refused') throw new Error('Nothing is decided')
  return decision
}

describe('a caller that waits', () => {
  const UNTIL = '2026-11-28T12:00:10.000Z'

  test('gets the first report that lacks nothing, decided after the late work has ended', async () => {
    const answers = [lacking, lacking, whole]
    const settled = vi.fn(async () => undefined)
    const decision = await wait(async () => answers.shift()!, UNTIL, settled)
    expect(decision).toMatchObject(lacking)
    expect(await decision.later).toBe(whole)
    expect(settled).toHaveBeenCalledTimes(2)
    expect(settled).toHaveBeenCalledWith({ chain: 'ETH', address: '0x' })
  })

  test('gets what there is when its time is over', async () => {
    const soon = new Date(REQUESTED_AT + 400).toISOString()
    const decision = await wait(
      async () => lacking,
      soon,
      () => new Promise(() => undefined),
    )
    expect(await decision.later).toBe(lacking)
  })

  test('gets the first report where no later one can be made', async () => {
    let decisions = 0
    const decide = async (): Promise<Decision> => {
      if (decisions++ > 0) throw new Error('The labels are too old')
      return lacking
    }
    const decision = await wait(decide, UNTIL)
    expect(await decision.later).toBe(lacking)
  })

  test('whose transaction was not told yet gets the report that comes when it is', async () => {
    const answers = [untold, untold, lacking, whole]
    const decision = await wait(async () => answers.shift()!, UNTIL)
    expect(decision).toMatchObject(untold)
    expect(await decision.later).toBe(whole)
  })

  test('whose transaction nobody has is refused as soon as that is known', async () => {
    const answers = [untold, notFound]
    expect(await (await wait(async () => answers.shift()!, UNTIL)).later).toBe(notFound)
  })

  test('keeps a report that lacks a stage if a later look finds no transaction', async () => {
    const answers = [untold, lacking, notFound]
    expect(await (await wait(async () => answers.shift()!, UNTIL)).later).toBe(lacking)
  })

  test('whose transaction is refused for another reason waits for nothing', async () => {
    expect((await wait(async () => notFound, UNTIL)).later).toBeUndefined()
  })

  test('of a whole report waits for nothing', async () => {
    expect((await wait(async () => whole, UNTIL)).later).toBeUndefined()
  })

  test('waits no longer where the scorer stops', async () => {
    const patience = patienceAt(REQUESTED_AT, () => new Promise(() => undefined))
    const [decided] = await patience.after(async () => [Promise.resolve(lacking)])([requestWith(UNTIL)])
    const decision = await decided
    patience.stop()
    if (decision?.kind !== 'report') throw new Error('There is no report')
    expect(await decision.later).toBe(lacking)
  })
})

test.each([null, '2026-11-28T11:59:59.000Z'])(
  'a caller that waits until %s gets the report at once',
  async (until) => {
    expect((await wait(async () => lacking, until)).later).toBeUndefined()
    expect((await wait(async () => untold, until)).later).toBeUndefined()
  },
)
