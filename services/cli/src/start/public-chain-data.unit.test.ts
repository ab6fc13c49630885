import { expect, test } from 'vitest'
import { createContext } from '@cupel/command-line'
import { withPublicChainData } from './public-chain-data.js'

test('every public endpoint is printed before the services may query it', async () => {
  const notes: string[] = []
  const context = {
    ...createContext({ CUPEL_PORT: '0' }, ['start']),
    note: (text: string) => notes.push(text),
  }
  expect((await context.config()).CUPEL_CHAIN_DATA_PUBLIC).toBe(false)

  const allowed = await withPublicChainData(context)

  expect(notes.join('\n')).toContain('Ethereum: https://')
  expect(notes.join('\n')).toContain('Bitcoin: https://')
  expect(await allowed.config()).toMatchObject({ CUPEL_CHAIN_DATA_PUBLIC: true, CUPEL_PORT: 0 })
  // The settings with which the processes of the Kafka profile start.
  expect(allowed.environment['CUPEL_CHAIN_DATA_PUBLIC']).toBe('true')
})
