import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createContext } from '@cupel/command-line'
import { createProgram } from '../../src/program.js'
import { readAddressFile, createProgressBar, progressLine } from '@cupel/bulk/commands'

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'

describe('the addresses of a file', () => {
  test.each([
    ['one a line, in any line ends', 'a\nb\r\nc\rd', ['a', 'b', 'c', 'd']],
    ['with empty lines', '\na\n  \nb\n', ['a', 'b']],
    ['with a remark, which is data', 'a\n# more\nb\n', ['a', '# more', 'b']],
    ['after order numbers that begin with #', `Name,Wallet\n#1,${ETH}\n#2,${BTC}\n`, [ETH, BTC]],
    [
      'the first column of a table, its heading left out',
      'address,chain\na,ETH\n"b",BTC\nc,d\n',
      ['a', 'b', 'c'],
    ],
    ['the column of the addresses, wherever it is', `name;Wallet\nA;${ETH}\nB;${BTC}\n`, [ETH, BTC]],
    ['a column under a word that says nothing', `id,on\n1,${ETH}\n2,${BTC}\n`, [ETH, BTC]],
    ['a table without a heading', `1,${ETH}\n2,${BTC}\n`, [ETH, BTC]],
    ['a heading above one address a line', `Adresse\n${ETH}\n`, [ETH]],
    ['cells with delimiters and line ends', `name\taddress\n"A\t\nB"\t${ETH}\n`, [ETH]],
    ['a mistyped first address, which is not a heading', `${ETH}0\n${BTC}\n`, [`${ETH}0`, BTC]],
    ['a JSON array, as it is', '["a", " b "]', ['a', ' b ']],
    ['with a byte order mark', '\uFEFFaddress\na', ['a']],
    ['none', '', []],
  ])('%s', (_, text, expected) => {
    expect(readAddressFile(text).items.map(({ address }) => address)).toEqual(expected)
  })

  test('have each line without an address counted as left out', () => {
    const text = `Name,Wallet\n#1,${ETH}\n#2\n\n#3,\n#4,${BTC}\n`
    expect(readAddressFile(text)).toEqual({
      items: [{ address: ETH }, { address: BTC }],
      leftOutLines: [3, 5],
    })
  })

  test('have a first row without an address left out aloud, not taken for a heading', () => {
    expect(readAddressFile(`#1,\n#2,${ETH}\n`)).toEqual({
      items: [{ address: ETH }],
      leftOutLines: [1],
    })
    expect(readAddressFile(`#1001\n${ETH}\n`).items).toEqual([{ address: '#1001' }, { address: ETH }])
  })

  const TWO = `client,from,to\nJane,${ETH},${BTC}\n,${BTC},${ETH}\n`

  test('have a question where several columns have addresses, and the answer by heading or number', () => {
    expect(() => readAddressFile(TWO)).toThrow('Several columns have addresses: from, to. Name one')
    expect(() => readAddressFile(`${ETH},${BTC}\n${ETH},${BTC}`)).toThrow('addresses: 1, 2. Name one')
    const items = [{ address: BTC, reference: 'Jane' }, { address: ETH }]
    expect(readAddressFile(TWO, { column: 'TO', referenceColumn: 'client' }).items).toEqual(items)
    expect(readAddressFile(TWO, { column: '3', referenceColumn: '1' }).items).toEqual(items)
    expect(() => readAddressFile(TWO, { column: '4' })).toThrow('There is no column 4')
  })

  test('may be items of JSON, with references', () => {
    const items = [{ address: ETH, chain: 'BSC', reference: 'a' }, { address: BTC }]
    expect(readAddressFile(JSON.stringify([items[0], BTC])).items).toEqual(items)
  })

  test('that is JSON of another kind is refused', () => {
    expect(() => readAddressFile('[1, 2]')).toThrow(/not an array of strings or of items/)
  })
})

const running = { status: 'running', total: 1_000, completed: 331, failed: 2, cancelled: 0 }

describe('progress', () => {
  test('is a bar that grows with the job', () => {
    expect(progressLine(running)).toBe('[█████████                     ] 333/1000, 2 failed, running')
    expect(progressLine({ ...running, completed: 998, status: 'completed_with_errors' })).toBe(
      `[${'█'.repeat(30)}] 1000/1000, 2 failed, completed with errors`,
    )
  })

  test('replaces its line on a terminal, and is a line per change elsewhere', () => {
    for (const isTTY of [true, false]) {
      const written: string[] = []
      const bar = createProgressBar({ isTTY, write: (text) => written.push(text) })
      bar.show(running)
      bar.show(running)
      bar.show({ ...running, completed: 400 })
      bar.end()
      expect(written).toHaveLength(isTTY ? 3 : 2)
      expect(written.every((text) => text.endsWith('\n'))).toBe(!isTTY)
    }
  })
})

test.each(['completed', 'cancelled'])(
  'cancelling a job that is %s says that nothing was cancelled',
  async (status) => {
    const job = {
      job_id: 'job_1',
      ...running,
      status,
      completed_at: '2026-11-22T10:00:00.000Z',
      results_url: '',
    }
    const server = createServer((_, response) => response.end(JSON.stringify(job))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const said: string[] = []
      const environment = {
        CUPEL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        ...{ CUPEL_API_KEY: 'key', CUPEL_HOME: '/nowhere' },
      }
      const args = ['bulk', 'cancel', 'job_1']
      const note = (text: string): void => void said.push(text)
      const program = await createProgram({ ...createContext(environment, args), note, print: note }, args)
      await program.parseAsync(args, { from: 'user' })
      expect(said[0]).toBe('The job had ended already. Nothing was cancelled.')
    } finally {
      server.close()
    }
  },
)
