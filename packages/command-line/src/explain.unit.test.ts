import { StoreRefusedError, StoreUnavailableError } from '@cupel/kit/object-store'
import { LogStoppedError } from '@cupel/event-log'
import { exitCodes, LocalStackError, type LocalStackErrorCode } from '@cupel/local-stack'
import { ConfigError } from '@cupel/kit/service'
import { expect, test } from 'vitest'
import { CommandError, explain } from './explain.js'

const codes = Object.keys(exitCodes) as LocalStackErrorCode[]

test('every condition of the local stack has an exit code of its own, and keeps its sentence', async () => {
  const explained = await Promise.all(codes.map((code) => explain(new LocalStackError(code, `The ${code}.`))))

  expect(explained.map(({ sentence }) => sentence)).toEqual(codes.map((code) => `The ${code}.`))
  expect(new Set(explained.map(({ exitCode }) => exitCode)).size).toBe(codes.length)
  expect(explained.map(({ exitCode }) => exitCode)).not.toContain(0)
})

test.each([
  ['a refused command', new CommandError('No such account.', 3), 'No such account.', 3],
  ['a wrong setting', new ConfigError('CUPEL_PORT: Invalid input.'), 'CUPEL_PORT: Invalid input.', 78],
  ['a store that is away', new StoreUnavailableError('The store is away.'), 'The store is away.', 69],
  ['a store that refuses', new StoreRefusedError('The store refused it.'), 'The store refused it.', 78],
  [
    'a log without its beginning',
    new LogStoppedError('truncated-log', 'It begins at offset 9.'),
    'It begins at offset 9.',
    1,
  ],
  [
    'a file without permission',
    Object.assign(new Error("EACCES: permission denied, open '/x'"), { code: 'EACCES' }),
    "EACCES: permission denied, open '/x'.",
    12,
  ],
  [
    'a database that is away, whatever the driver wraps it in',
    Object.assign(new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:1')]), {
      code: 'ECONNREFUSED',
    }),
    'The database is unavailable: connect ECONNREFUSED 127.0.0.1:1.',
    69,
  ],
])('%s is one sentence with its exit code', async (_, error, sentence, exitCode) => {
  expect(await explain(error)).toEqual({ sentence, exitCode })
})

test('an unexpected error is one line and says how to get the details', async () => {
  const { sentence, exitCode } = await explain(new TypeError('x is not a function'))

  expect(sentence).toBe('x is not a function (run again with --verbose for the details)')
  expect(exitCode).toBe(1)
})
