import { expect, test } from 'vitest'
import { snakeCase, table } from './answer.js'

test('fields are spelled as the API spells them', () => {
  expect(snakeCase({ keyId: 'k', webhookAdmin: true, name: 'n' })).toEqual({
    key_id: 'k',
    webhook_admin: true,
    name: 'n',
  })
})

test('columns are as wide as their widest cell, and lines do not end in blanks', () => {
  expect(
    table([
      ['KEY', 'NAME'],
      ['a-long-one', ''],
    ]),
  ).toBe('KEY         NAME\na-long-one')
})
