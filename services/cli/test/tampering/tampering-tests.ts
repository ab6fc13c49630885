/** The tests of tampering, in a short and in a long run. */
import { topicOf } from '@cupel/contracts'
import { numbersOf, runSeed, type LongSuite } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { spoiltDocuments } from './document-kinds.js'
import { openEvidence, type Evidence } from './evidence.js'
import { hasPython, verifiedInPython } from './python.js'
import { tryTampering } from './trials.js'

/** A trial takes some ten milliseconds of CPU, and the machine may have other work. */
const HANG_MS = 3_600_000

export function testTampering(suite: LongSuite, inPython: number): void {
  let evidence: Evidence
  beforeAll(async () => {
    evidence = await openEvidence()
  })
  afterAll(() => evidence.close())

  test('what nobody changed has no problem, and every report is proven', async () => {
    const { problemCount, problems, leaves } = await evidence.audit({ comparesRows: true })
    const comparison = leaves?.comparison
    expect([problems, comparison?.faults, comparison?.problems]).toEqual([[], [], []])
    expect(problemCount).toBe(0)
    expect(comparison).toMatchObject({ pending: 0, leaves: evidence.records.length })
    expect(comparison).toMatchObject({ records: evidence.records.length })
  })

  test('every trial of tampering is found and named by its place', { timeout: HANG_MS }, async () => {
    for (const { kind, trials, found, named, outOfReach, missed } of await tryTampering(evidence, suite))
      expect([kind.name, found + outOfReach, named + outOfReach, missed]).toEqual([
        ...[kind.name, trials, trials, null],
      ])
  })

  test('the command says it in words and JSON, and reads an archive and the published files', async () => {
    const { decided, records, published, archive } = evidence
    const verify = (...options: readonly string[]) => decided.cupel('audit', 'verify', ...options)
    const good = await verify('--min-leaves', String(records.length))
    expect([good.exitCode, good.out]).toEqual([0, expect.stringContaining('agree')])
    const { topic, partition, offset } = records.find((record) => record.topic === topicOf('AccountCreated'))!
    const ofRecord = `record_offset = $1 AND partition_id = (SELECT id FROM log.topic_partition WHERE topic = $2 AND partition = $3)`
    const change = (from: string, to: string) =>
      decided.database.execute(
        `UPDATE log.record SET headers = replace(headers::text, $4, $5)::json WHERE ${ofRecord}`,
        [offset, topic, partition, from, to],
      )
    expect(await change('"ce_id"', '"ce_ix"')).toBe(1)
    const bad = await verify()
    expect([bad.exitCode, bad.out]).toEqual([
      1,
      expect.stringContaining(
        `other-record: ${topic}/${partition} at ${offset}: these records are not those that were signed`,
      ),
    ])
    await change('"ce_ix"', '"ce_id"')

    const more = ['archive', 'verify', archive, '--transparency', published]
    expect(await decided.json(...more)).toMatchObject({
      is_proven: true,
      transparency: { leaves: records.length, records: records.length, problem_count: 0, folder: published },
    })
    const fewer = await decided.cupel(...more, '--min-leaves', String(records.length + 1))
    expect([fewer.exitCode, fewer.out]).toEqual([1, expect.stringContaining('at least')])
  })

  test.skipIf(!hasPython)('the verifier in Python refuses them too', { timeout: HANG_MS }, async () => {
    const good = evidence.reports.map(({ document, proof }) => {
      return { report: Buffer.from(document), proof: Buffer.from(proof) }
    })
    const bad = spoiltDocuments(evidence, numbersOf(runSeed()), inPython)
    const said = await verifiedInPython(evidence, [...good, ...bad])
    expect(said.slice(0, good.length)).toEqual(good.map(() => null))
    const proven = bad.filter((_, at) => said[good.length + at] === null)
    expect(proven.map(({ report, proof }) => `${report.toString()}\n${proof.toString()}`)).toEqual([])
  })
}
