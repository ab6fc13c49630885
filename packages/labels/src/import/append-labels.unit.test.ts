import type { DomainEvent } from '@cupel/contracts'
import type { EventCodec, EventLog } from '@cupel/event-log'
import type { Queryable } from '@cupel/postgres'
import { expect, test, vi } from 'vitest'
import { labelViewGroup } from '../read-model/index.js'
import { createLabelAppender } from './append-labels.js'

test('the label view is nudged after each batch that the log has, and an import does not fail with the nudge', async () => {
  const append = vi.fn(async () => [])
  const query = vi.fn(async () => {
    throw new Error('no nudge today')
  })
  const appender = createLabelAppender(
    {
      log: { append } as unknown as EventLog,
      codec: { encode: () => ({ value: Buffer.alloc(700_000) }) } as unknown as EventCodec,
      database: { query } as unknown as Queryable,
    },
    () => undefined,
  )
  const event = { type: 'LabelRetired' } as DomainEvent
  for (let count = 0; count < 3; count += 1) await appender.add(event, 'key')
  await appender.flush()
  expect(append).toHaveBeenCalledTimes(2)
  expect(query.mock.calls).toEqual([
    [expect.anything(), [[labelViewGroup]]],
    [expect.anything(), [[labelViewGroup]]],
  ])
})
