import { spawn } from 'node:child_process'
import { PATIENCE_MS, programArguments } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runReadModel } from '@cupel/projections'
import { LABEL_PARTITION, LABEL_TOPIC, labelView, listSets, listSetLabels } from '@cupel/read-models'
import { importLabels, type LabelImportSummary } from '../../src/index.js'
import { startInstallation, type ImportInstallation } from './installation.js'

const ROWS = 300

let installation: ImportInstallation
beforeAll(async () => {
  installation = await startInstallation()
})
afterAll(async () => await installation.close())

const rows = (source: string, count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, index) => {
    const address = `0x${(from + index).toString(16).padStart(40, '0')}`
    return `${address},ETH,scam,Somebody,${source},,0.8,2026-01-01`
  })

describe('an import that is killed', () => {
  test.each(['before:labels.append:1', 'after:labels.append:1', 'before:labels.publish:1'])(
    'at %s leaves nothing visible, and a repeat works',
    async (failpoint) => {
      const source = `killed ${failpoint}`
      const file = await installation.list('killed.csv', rows(source, ROWS))
      expect(await importInChild(file, failpoint)).toMatchObject({ signal: 'SIGKILL' })
      await projectEverything()
      expect(await visible(source)).toBe(0)

      const repeated = await installation.imported(file)
      expect(repeated).toMatchObject({ added: ROWS, visible: true })
      expect(await visible(source)).toBe(ROWS)
    },
  )

  test('after its publication was written is complete, and a repeat adds nothing', async () => {
    const file = await installation.list('published.csv', rows('published', ROWS))
    expect(await importInChild(file, 'after:labels.publish:1')).toMatchObject({ signal: 'SIGKILL' })
    await projectEverything()
    expect(await visible('published')).toBe(ROWS)
    expect(await installation.imported(file)).toMatchObject({ added: 0, unchanged: ROWS })
  })

  test('while it replaces a set leaves the old version in force, whole', async () => {
    await installation.imported(await installation.list('replaced.csv', rows('replaced', ROWS)))
    const next = await installation.list('replaced.csv', [
      ...rows('replaced', ROWS - 3),
      ...rows('replaced', 10, 9_000),
    ])
    expect(await importInChild(next, 'before:labels.publish:1')).toMatchObject({ signal: 'SIGKILL' })
    await projectEverything()
    expect(await visible('replaced')).toBe(ROWS)
    expect(await installation.imported(next)).toMatchObject({ added: 10, retired: 3, unchanged: ROWS - 3 })
    expect(await visible('replaced')).toBe(ROWS + 7)
  })
})

describe('two imports at once', () => {
  test('of the same file of one source give one set, each label once', async () => {
    const file = await installation.list('twice.csv', rows('twice', ROWS))
    const results = await Promise.all([installation.imported(file), installation.imported(file)])
    expect(results.map(({ added }) => added).sort((a, b) => a - b)).toEqual([0, ROWS])
    expect(await visible('twice')).toBe(ROWS)
  })

  test('of one source from two processes follow each other', async () => {
    const file = await installation.list('processes.csv', rows('processes', ROWS))
    const [own, child] = await Promise.all([installation.imported(file), importInChild(file)])
    const added = [own.added, (JSON.parse(child.output) as LabelImportSummary).added]
    expect(added.sort((a, b) => a - b)).toEqual([0, ROWS])
    expect(await visible('processes')).toBe(ROWS)
  })

  test('of several sources in different order do not wait for each other forever', async () => {
    const one = await installation.list('ab.csv', [...rows('lock a', 5), ...rows('lock b', 5)])
    const two = await installation.list('ba.csv', [...rows('lock b', 5), ...rows('lock a', 5)])
    const results = await Promise.all([one, two, one, two].map((file) => installation.imported(file)))
    expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(20)
  })
})

test('an import waits for a label view that runs instead of running another', async () => {
  const { log, codec, database, logger, metrics } = installation.deps
  const view = runReadModel({ readModel: labelView, log, codec, database, logger, metrics })
  try {
    const file = await installation.list('beside.csv', rows('beside', ROWS))
    const result = await importLabels(
      { file, format: 'csv', importedBy: 'operator:test' },
      { ...installation.deps, labelView: 'elsewhere' },
    )
    expect(result).toMatchObject({ status: 'imported', added: ROWS, visible: true })
    expect(await visible('beside')).toBe(ROWS)
  } finally {
    await view.stop()
  }
})

/** The number of labels listed now, which must equal the set's own count. */
async function visible(source: string): Promise<number> {
  const sets = (await listSets(installation.database)).filter((set) => set.source === source)
  let count = 0
  for (const { dataset } of sets) {
    for await (const page of listSetLabels(installation.database, { source, dataset })) count += page.length
  }
  expect(sets.reduce((sum, { total }) => sum + total, 0)).toBe(count)
  return count
}

/** Applies every record of the log to the view. Absence proves nothing before that. */
async function projectEverything(): Promise<void> {
  const { log, codec, database, logger, metrics } = installation.deps
  const view = runReadModel({
    readModel: labelView,
    log,
    codec,
    database,
    logger,
    metrics,
    commitIntervalMs: 5,
  })
  try {
    const end = await log.endOffset(LABEL_TOPIC, LABEL_PARTITION)
    const { waitUntilProjected } = await import('@cupel/projections')
    const { labelViewGroup } = await import('@cupel/read-models')
    const position = { group: labelViewGroup, topic: LABEL_TOPIC, partition: LABEL_PARTITION }
    expect(await waitUntilProjected({ database, ...position, offset: end, timeoutMs: PATIENCE_MS })).toBe(
      true,
    )
  } finally {
    await view.stop()
  }
}

interface ChildResult {
  readonly signal: NodeJS.Signals | null
  readonly output: string
}

async function importInChild(file: string, failpoint?: string): Promise<ChildResult> {
  const program = await programArguments(new URL('./import-child.ts', import.meta.url))
  const child = spawn(process.execPath, [...program, installation.connectionString, file], {
    env: { ...process.env, ...(failpoint === undefined ? {} : { CUPEL_FAILPOINT: failpoint }) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.on('data', (data: Buffer) => (output += data.toString()))
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve) =>
    child.once('close', (exitCode, exitSignal) => resolve([exitCode, exitSignal])),
  )
  if (code !== 0 && signal === null) throw new Error(`The child failed with ${code}: ${errors}`)
  return { signal, output }
}
