import { topicOf } from '@cupel/contracts'
import { labelView, listSets } from '@cupel/labels/read-model'
import { policyView } from '@cupel/policy/read-model'
import { createMetrics, type RunningService } from '@cupel/kit/service'
import { until } from '@cupel/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import {
  defaults,
  openFollowed,
  openInstallation,
  type Installation,
  type Label,
} from '../test/installation.js'

const OFAC_URL = 'https://sanctionssearch.ofac.treas.gov/Details.aspx?id=27307'
const lazarus: Label = {
  address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  chain: 'ETH',
  category: 'sanctions',
  entity: 'LAZARUS GROUP',
  source: 'ofac_sdn',
  sourceUrl: OFAC_URL,
}
const exchange: Label = {
  address: '34xp4vRoCGJym3xR7yCVPFHoCNxv4Twseo',
  chain: 'BTC',
  category: 'clean_exchange',
  entity: 'Binance',
  source: 'defillama_cex',
  sourceUrl: 'https://github.com/DefiLlama/DefiLlama-Adapters/blob/1eb4e81/projects/binance/index.js',
  confidencePpm: 850_000,
}
const UNLISTED = '0x00000000000000000000000000000000000abcde'

let installation: Installation
afterEach(() => installation.close())

const answered = (reportId: string, livemode = true) => until(() => installation.report(reportId, livemode))

describe('a screening', () => {
  test('of a sanctioned address is red and shows on whose word', async () => {
    installation = await openFollowed()
    await installation.publish('ofac_sdn', [lazarus])
    await installation.start()
    const report = await answered(await installation.request(lazarus.address.toLowerCase(), 'ETH'))
    expect(report.risk).toMatchObject({ level: 'red', score: 100, categories: { sanctions: 100 } })
    expect(report.risk.evidence).toMatchObject([
      { entity: 'LAZARUS GROUP', source: 'ofac_sdn', source_url: OFAC_URL, decisive: true },
    ])
    expect(report.coverage.labels).toMatchObject({ status: 'complete', sources: 1 })
  })

  test('of an address nobody knows is grey, never green', async () => {
    installation = await openFollowed()
    await installation.publish('ofac_sdn', [lazarus])
    await installation.start()
    const report = await answered(await installation.request(UNLISTED, 'ETH'))
    expect(report.risk).toMatchObject({
      level: 'grey',
      score: 0,
      level_reasons: ['no_chain_data'],
      evidence: [],
    })
  })

  test('without a named chain is green only if every chain that knows the address clears it', async () => {
    installation = await openFollowed()
    await installation.publish('ofac_sdn', [lazarus])
    await installation.publish('defillama_cex', [exchange])
    await installation.start()
    const candidateChains = ['BTC', 'LTC', 'BCH']
    const screen = async () =>
      await answered(await installation.request(exchange.address, 'BTC', { candidateChains }))
    expect((await screen()).risk.level).toBe('green')
    await installation.publish('somebody', [
      {
        ...exchange,
        chain: 'LTC',
        source: 'somebody',
        sourceUrl: 'https://example.org/',
        confidencePpm: 400_000,
      },
    ])
    const after = await until(async () => {
      const report = await screen()
      expect(report.risk.level).not.toBe('green')
      return report
    })
    expect(after).toMatchObject({ chain: 'BTC', other_chains: [{ chain: 'LTC', level: 'grey' }] })
    expect(after.risk).toMatchObject({ level: 'grey', level_reasons: ['candidate_chain'] })
  })

  test('of an exchange is green once a whole sanctions list is in force', async () => {
    installation = await openFollowed()
    await installation.publish('defillama_cex', [exchange])
    await installation.start()
    const before = await answered(await installation.request(exchange.address, 'BTC'))
    expect(before.risk).toMatchObject({ level: 'grey', level_reasons: ['no_sanctions_list'] })
    await installation.publish('ofac_sdn', [lazarus])
    await until(async () => {
      const report = await answered(await installation!.request(exchange.address, 'BTC'))
      expect(report.risk).toMatchObject({ level: 'green', score: 0 })
      expect(report.coverage.labels.lists).toMatchObject([
        { authority: 'us-ofac', whole: true, status: 'current' },
      ])
    })
  })

  test('in the sandbox reads no labels: what is red there is grey here', async () => {
    installation = await openFollowed()
    await installation.publish('ofac_sdn', [lazarus])
    await installation.start()
    const report = await answered(
      await installation.request(lazarus.address, 'ETH', { livemode: false }),
      false,
    )
    expect(report).toMatchObject({
      livemode: false,
      risk: { level: 'grey', evidence: [] },
      coverage: { labels: { lists: [{ source: 'cupel_sandbox' }] } },
    })
    expect(await installation.records('screening.report.events.v1')).toEqual([])
  })

  test('sees a set that was published after the start', async () => {
    installation = await openFollowed()
    await installation.start()
    expect((await answered(await installation.request(lazarus.address, 'ETH'))).risk.level).toBe('grey')
    await installation.publish('ofac_sdn', [lazarus])
    await until(async () => {
      const report = await answered(await installation.request(lazarus.address, 'ETH'))
      expect(report).toMatchObject({ risk: { level: 'red' }, label_snapshot: '1' })
    })
  })
})

describe('labels that cannot be trusted', () => {
  test('are waited for: nothing is taken before the view has what the topic had at the start', async () => {
    installation = await openInstallation()
    installation.run(policyView)
    await installation.publish('ofac_sdn', [lazarus])
    const reportId = await installation.request(lazarus.address, 'ETH')
    const scorer = await installation.start()
    await until(() =>
      expect(scorer.checks()).toContainEqual({
        name: 'label view',
        ok: false,
        detail: expect.stringContaining('behind') as string,
      }),
    )
    expect(await installation.answers(reportId)).toEqual([])
    installation.run(labelView)
    expect((await answered(reportId)).risk.level).toBe('red')
    await until(() => expect(scorer.checks().every(({ ok }) => ok)).toBe(true))
  })

  test('count as stale when the view stops following: an exchange is no longer green', async () => {
    installation = await openInstallation()
    installation.run(policyView)
    const view = installation.run(labelView)
    await installation.publish('defillama_cex', [exchange])
    await installation.start({
      config: { ...defaults, CUPEL_LABEL_LAG_LIMIT_MS: 100, CUPEL_LABEL_LAG_REFUSE_MS: 600_000 },
    })
    await answered(await installation.request(UNLISTED, 'ETH'))
    await view.stop()
    await installation.publish('ofac_sdn', [lazarus])
    await until(async () => {
      const report = await answered(await installation.request(exchange.address, 'BTC'))
      expect(report).toMatchObject({
        risk: { level: 'grey', level_reasons: expect.arrayContaining(['stale_labels']) as string[] },
        coverage: { labels: { status: 'stale' } },
      })
    })
  })

  test('that were not followed for too long stop screening, and it goes on when they are', async () => {
    installation = await openInstallation()
    installation.run(policyView)
    const view = installation.run(labelView)
    const config = { ...defaults, CUPEL_LABEL_LAG_LIMIT_MS: 100, CUPEL_LABEL_LAG_REFUSE_MS: 1_100 }
    const metrics = createMetrics('scorer')
    const lag = async (): Promise<string | undefined> =>
      /scorer_lag_records\{lane="interactive"[^}]*\} (\d+)/.exec((await metrics.render()).body)?.[1]
    const scorer = await installation.start({ config, metrics })
    await answered(await installation.request(UNLISTED, 'ETH'))
    await until(async () => expect(await lag()).toBe('0'))
    await view.stop()
    await installation.publish('ofac_sdn', [lazarus])
    await until(() => expect(scorer.checks()[0]).toMatchObject({ name: 'label view', ok: false }))
    const reportId = await installation.request(lazarus.address, 'ETH')
    await until(() =>
      expect(scorer.checks()).toContainEqual({
        name: 'interactive requests',
        ok: false,
        detail: expect.stringContaining('not followed') as string,
      }),
    )
    expect(await installation.answers(reportId)).toEqual([])
    await until(async () => expect(await lag()).toBe('1'))
    installation.run(labelView)
    expect((await answered(reportId)).risk.level).toBe('red')
    await until(async () => expect(await lag()).toBe('0'))
  })

  test('because early LabelsAsserted are gone are refused, although a later LabelSetPublished looks fresh', async () => {
    installation = await openInstallation()
    installation.run(policyView)
    await installation.publish('ofac_sdn', [lazarus])
    await installation.deleteFront(topicOf('LabelsAsserted'), 1)
    const view = installation.run(labelView)
    await refuses(await installation.start(), topicOf('LabelsAsserted'))
    await until(() => expect(view.status()).toMatchObject({ state: 'stopped' }))
    expect(await listSets(installation.database)).toEqual([])
  })

  test.each(['LabelsAsserted', 'PolicyActivated'] as const)(
    'or whose policy cannot be are refused where the first %s goes while the scorer runs',
    async (type) => {
      installation = await openFollowed()
      await installation.publish('ofac_sdn', [lazarus])
      const scorer = await installation.start()
      await answered(await installation.request(lazarus.address, 'ETH'))
      await installation.deleteFront(topicOf(type), 1)
      await refuses(scorer, topicOf(type))
    },
  )

  test('without a policy nothing is screened', async () => {
    installation = await openInstallation({ policy: false })
    installation.run(labelView)
    const reportId = await installation.request(UNLISTED, 'ETH')
    const scorer = await installation.start()
    await until(() =>
      expect(scorer.checks()).toContainEqual({
        name: 'interactive requests',
        ok: false,
        detail: expect.stringContaining('policy') as string,
      }),
    )
    expect(await installation.answers(reportId)).toEqual([])
  })
})

/** The scorer is not ready, names the cause, and answers nothing: callers get a 503. */
async function refuses(scorer: RunningService, topic: string): Promise<void> {
  const detail = expect.stringContaining(`${topic}/0 begins at offset 1`) as string
  await until(() => expect(scorer.checks()).toContainEqual({ name: 'label view', ok: false, detail }))
  const reportId = await installation.request(lazarus.address, 'ETH')
  await until(() =>
    expect(scorer.checks()).toContainEqual({ name: 'interactive requests', ok: false, detail }),
  )
  expect(await installation.answers(reportId)).toEqual([])
}
