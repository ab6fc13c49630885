import { diesAt } from '@cupel/testkit/installation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labelView } from '../../src/read-model/reducers.js'
import { listSets } from '../../src/read-model/sets.js'
import { listSetLabels } from '../../src/read-model/queries.js'
import { importLabels } from '../../src/index.js'
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
      await diesImporting(file, failpoint)
      await projectEverything()
      expect(await visible(source)).toBe(0)

      const repeated = await installation.imported(file)
      expect(repeated).toMatchObject({ added: ROWS, visible: true })
      expect(await visible(source)).toBe(ROWS)
    },
  )

  test('after its publication was written is complete, and a repeat adds nothing', async () => {
    const file = await installation.list('published.csv', rows('published', ROWS))
    await diesImporting(file, 'after:labels.publish:1')
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
    await diesImporting(next, 'before:labels.publish:1')
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

  test('of several sources in different order do not wait for each other forever', async () => {
    const one = await installation.list('ab.csv', [...rows('lock a', 5), ...rows('lock b', 5)])
    const two = await installation.list('ba.csv', [...rows('lock b', 5), ...rows('lock a', 5)])
    const results = await Promise.all([one, two, one, two].map((file) => installation.imported(file)))
    expect(results.reduce((sum, { added }) => sum + added, 0)).toBe(20)
  })
})

test('an import waits for a label view that runs instead of running another', async () => {
  const view = installation.run(labelView)
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
  const view = installation.run(labelView)
  await installation.caughtUp(labelView)
  await view.stop()
}

function diesImporting(file: string, failpoint: string): Promise<void> {
  return diesAt(installation.connectionString, failpoint, async (deps) => {
    await importLabels({ file, format: 'csv', importedBy: 'operator:mortal' }, { ...deps, labelView: 'here' })
  })
}
