import { COORDINATOR_GROUP } from '@cupel/bulk/worker'
import { deadLetterGroups } from '@cupel/event-log'
import { SCORER_GROUPS } from '@cupel/screening/worker'
import { DISPATCHER_GROUP } from '@cupel/webhooks/worker'
import { expect, test } from 'vitest'

test('an installation has a topic for the dead letters of each group that writes some', () => {
  expect([...deadLetterGroups].sort()).toEqual([...SCORER_GROUPS, COORDINATOR_GROUP, DISPATCHER_GROUP].sort())
})
