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
  const [decision] = await patienceAt(REQUESTED_AT, settled).after(async () => [await decide()])([
    requestWith(stagesByAt),
  ])
  if (decision?.kind !== 'report') throw new Error('There is no report')
  return decision
}

describe('a caller that waits', () => {
  const UNTIL = '2026-11-28T12:00:10.000Z'

  test('gets the first report that lacks nothing, decided after the late work has ended', async () => {
    const answers = [lacking, lacking, whole]
    const settled = vi.fn(async () => undefined)
    const decision = await wait(async () => answers.shift()!, UNTIL, settled)
    expect(decision.event).toBe((lacking as typeof decision).event)
    expect(await decision.whole).toBe((whole as typeof decision).event)
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
    expect(await decision.whole).toBe((lacking as typeof decision).event)
  })

  test('gets the first report where no later one can be made', async () => {
    let decisions = 0
    const decide = async (): Promise<Decision> => {
      if (decisions++ > 0) throw new Error('The labels are too old')
      return lacking
    }
    const decision = await wait(decide, UNTIL)
    expect(await decision.whole).toBe((lacking as typeof decision).event)
  })

  test('of a whole report waits for nothing', async () => {
    expect((await wait(async () => whole, UNTIL)).whole).toBeUndefined()
  })

  test('waits no longer where the scorer stops', async () => {
    const patience = patienceAt(REQUESTED_AT, () => new Promise(() => undefined))
    const [decision] = await patience.after(async () => [lacking])([requestWith(UNTIL)])
    patience.stop()
    if (decision?.kind !== 'report') throw new Error('There is no report')
    expect(await decision.whole).toBe(decision.event)
  })
})

test.each([null, '2026-11-28T11:59:59.000Z'])(
  'a caller that waits until %s gets the report at once',
  async (until) => {
    expect((await wait(async () => lacking, until)).whole).toBeUndefined()
  },
)
