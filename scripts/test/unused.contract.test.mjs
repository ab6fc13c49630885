import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../setup.mjs'
import { findUnused } from '../unused.mjs'
import { testOnlyExports } from './test-only-exports.mjs'

test('every source is used, and every export has an importer in the product, or a reason why only tests import it', () => {
  const { files, exports, testOnly } = findUnused(root)
  expect(files).toEqual([])
  expect(exports).toEqual([])
  expect(testOnly.toSorted()).toEqual(Object.values(testOnlyExports).flat().toSorted())
})

test('a name that only an index passes on is unused, and a name that somebody imports from there is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cupel-unused-'))
  try {
    const files = {
      'packages/a/package.json': JSON.stringify({
        ...{ name: '@cupel/a', bin: './src/main.ts' },
        exports: { '.': { 'cupel-source': './src/index.ts' } },
      }),
      'packages/a/src/index.ts': "export { kept, idle, tested } from './kept.js'\nexport * from './all.js'\n",
      'packages/a/src/kept.ts': 'export const kept = 1\nexport const idle = 2\nexport const tested = 3\n',
      'packages/a/src/all.ts': 'export const far = 1\nexport const own = 2\nconst half = own / 2\n',
      'packages/a/src/alone.ts': '// kept\n',
      'packages/a/src/main.ts': "import { kept, far } from '@cupel/a'\n",
      'packages/a/test/kept.unit.test.ts': "import { tested } from '../src/index.js'\n",
    }
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      writeFileSync(join(folder, file), text)
    }
    execFileSync('git', ['init', '-q'], { cwd: folder })
    expect(findUnused(folder)).toEqual({
      files: ['packages/a/src/alone.ts'],
      exports: ['packages/a/src/index.ts#idle', 'packages/a/src/kept.ts#idle'],
      testOnly: ['packages/a/src/index.ts#tested', 'packages/a/src/kept.ts#tested'],
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
