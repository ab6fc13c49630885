import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../../scripts/check-links.mjs', import.meta.url))

function checkLinks(...args: string[]): { status: number | null; lines: string[] } {
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' })
  return { status, lines: stderr.split('\n').filter((line) => line !== '') }
}

test('every link, path and document that this repository names exists', () => {
  expect(checkLinks()).toEqual({ status: 0, lines: [] })
})

describe('in a folder of documents', () => {
  let folder: string
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cupel-links-'))
    write('docs/adr/0007-one-choice.md', '# 7. One choice\n\n## What follows\n')
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  test('references that exist pass, and so do web addresses, placeholders and code blocks', () => {
    write('packages/domain/a.ts', '/** See docs/adr/0007. */\n')
    write(
      'README.md',
      [
        '[choice](docs/adr/0007-one-choice.md#what-follows), [above](#top), [web](https://example.com/x)',
        '# Top',
        '`packages/domain/a.ts`, packages/domain/, `packages/domain/<name>.ts`, docs/adr/0007.',
        '```sh',
        'cat packages/gone/x.ts',
        '```',
      ].join('\n'),
    )
    expect(checkLinks(folder)).toEqual({ status: 0, lines: [] })
  })

  test.each([
    ['[gone](docs/gone.md)', 'docs/gone.md'],
    ['[no such heading](docs/adr/0007-one-choice.md#why)', 'docs/adr/0007-one-choice.md#why'],
    ['[no such heading here](#why)', '#why'],
    ['see `schemas/golden/README.md`', 'schemas/golden/README.md'],
    ['see services/api/src/gone, please', 'services/api/src/gone'],
    ['`packages/gone/*`', 'packages/gone/*'],
    ['as docs/adr/0008 says', 'docs/adr/0008'],
  ])('a document that says %s is rejected, with its line', (text, reference) => {
    write('docs/page.md', `# Page\n\n${text}\n`)
    expect(checkLinks(folder)).toEqual({
      status: 1,
      lines: [`docs/page.md:3: ${reference} does not exist`],
    })
  })

  test('a comment that names a decision or document that is gone is rejected', () => {
    write('packages/domain/a.ts', '// docs/adr/0007\n// docs/adr/0009\n// docs/gone.md says why\n')
    expect(checkLinks(folder).lines).toEqual([
      'packages/domain/a.ts:2: docs/adr/0009 does not exist',
      'packages/domain/a.ts:3: docs/gone.md does not exist',
    ])
  })

  test('a decision that the index lacks is rejected', () => {
    write('docs/adr/README.md', '# Decisions\n')
    expect(checkLinks(folder).lines).toEqual(['docs/adr/README.md: the index lacks 0007-one-choice.md'])
    write('docs/adr/README.md', '[7](0007-one-choice.md)\n')
    expect(checkLinks(folder)).toEqual({ status: 0, lines: [] })
  })
})
