import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { EXIT_FAILED } from '@cupel/command-line'

let commandLine: CommandLine
let cupel: CommandLine['cupel']
beforeAll(async () => {
  commandLine = await openCommandLine()
  cupel = commandLine.cupel
})
afterAll(() => commandLine.close())

test('prices are imported and listed, and a bad row refuses the file with its line', async () => {
  expect((await cupel('prices', 'list')).out).toBe('No prices were imported yet.')
  const file = await commandLine.file(
    'prices.csv',
    'day,asset,usd\n2022-01-02,ETH,3012.55\n2022-01-03,foo,1\n',
  )
  const { out } = await cupel('prices', 'import', file, '--reason', 'daily')
  expect(out).toContain('Table 1 is in force: 2 prices of 2 assets, 2022-01-02 to 2022-01-03')
  expect(out).toContain('No counted asset is called foo.')
  expect((await cupel('prices', 'import', file)).out).toContain('in force already')
  const listed = await cupel('prices', 'list', '--json')
  expect(JSON.parse(listed.out)).toMatchObject({
    items: [{ price_seq: 1, prices: 2, assets: ['ETH', 'foo'] }],
  })
  expect((await cupel('prices', 'list')).out).toMatch(/1 +2 +ETH,foo +2022-01-02 +2022-01-03 +prices\.csv/)
  const broken = await commandLine.file('broken.csv', 'day,asset,usd\n2022-01-02,ETH,abc\n')
  expect((await cupel('prices', 'import', broken)).error).toMatchObject({
    exitCode: EXIT_FAILED,
    message: expect.stringContaining('line 2') as string,
  })
})
