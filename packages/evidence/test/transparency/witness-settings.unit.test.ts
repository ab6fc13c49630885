import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cosigner } from '@cupel/testkit'
import { afterAll, expect, test } from 'vitest'
import { readWitnessSettings } from '../../src/transparency/index.js'

const folder = mkdtempSync(join(tmpdir(), 'cupel-witnesses-'))
afterAll(() => rmSync(folder, { recursive: true }))

function fileOf(
  witnesses: readonly { readonly name: string; readonly url: string; readonly vkey: string }[],
  quorum: number,
): string {
  const file = join(folder, 'witnesses.json')
  const named = witnesses.map(({ name, url, vkey }) => ({ name, url, vkey }))
  writeFileSync(file, JSON.stringify({ quorum, witnesses: named, allowed_ranges: ['127.0.0.0/8'] }))
  return file
}

test('a file of witnesses that cannot be used is refused with a sentence', () => {
  const [one, two] = [1, 2].map((at) => ({
    ...cosigner(`w${at}.example`, at),
    url: `https://w${at}.example/log`,
  }))
  const settings = readWitnessSettings(fileOf([one!, two!], 2))
  expect(settings.witnesses.map(({ url }) => url)).toEqual([
    'https://w1.example/log/',
    'https://w2.example/log/',
  ])
  const given = (change: (file: Record<string, unknown>) => unknown): string => {
    const file = fileOf([one!, two!], 2)
    writeFileSync(
      file,
      JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)),
    )
    return file
  }
  const first = (more: object) => (file: Record<string, unknown>) => ({
    ...file,
    witnesses: [{ ...(file['witnesses'] as object[])[0], ...more }, (file['witnesses'] as object[])[1]],
  })
  for (const [change, sentence] of [
    [(file) => ({ ...file, quorum: 3 }), 'Of 2 witnesses, 3 cannot be needed'],
    [(file) => ({ ...file, quorum: 0 }), 'cannot be needed'],
    [(file) => ({ ...file, quorum: '2' }), 'quorum must be a number'],
    [(file) => ({ ...file, witnesses: [] }), 'a list of 1 to 20'],
    [(file) => ({ ...file, more: 1 }), 'a member more'],
    [(file) => ({ ...file, allowed_ranges: ['10.0.0.0/99'] }), 'is not an IP address or CIDR range'],
    [first({ vkey: 'none' }), 'Witness 1 has a vkey'],
    [first({ name: 'other' }), 'another name than its vkey'],
    [first({ url: 'ftp://w1.example/' }), 'not an https address'],
    [first({ url: 'https://user@w1.example/' }), 'not an https address'],
    [first({ url: 'https://w1.example/?a' }), 'not an https address'],
    [first({ name: two!.name, vkey: two!.vkey }), 'one name or one key'],
    [() => 7, 'is not a JSON object'],
  ] as readonly (readonly [(file: Record<string, unknown>) => unknown, string])[])
    expect(() => readWitnessSettings(given(change)), sentence).toThrow(sentence)
  const file = fileOf([one!], 1)
  writeFileSync(file, '{')
  expect(() => readWitnessSettings(file)).toThrow('It is not JSON.')
  expect(() => readWitnessSettings(`${file}.none`)).toThrow('ENOENT')
})
