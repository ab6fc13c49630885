/** The service gives every problem of the description: each is provoked, and compared with its example. */
import { problemCodes, type ProblemCode } from '@cupel/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { problemExample } from '@cupel/gate/http'
import { headerFaults, operations, type Described } from './described.js'
import type { Reply } from './http-client.js'
import { startInstallation, type Installation } from './installation.js'
import { outerAddress } from './outer-address.js'
import { createProvocations, type Provocations } from './provocations.js'

let installation: Installation
let provocations: Provocations
beforeAll(async () => {
  installation = await startInstallation()
  provocations = await createProvocations(installation)
})
afterAll(() => installation.stop())

const codes = Object.keys(problemCodes) as ProblemCode[]

/** Operations whose description names the code. No description names `method_not_allowed`; every path can answer it. */
function placesOf(code: ProblemCode): Described[] {
  if (code === 'method_not_allowed') return [...operations]
  const status = String(problemCodes[code].status)
  return operations.filter(
    ({ operation }) =>
      operation.responses[status]?.content?.['application/problem+json']?.examples?.[code] !== undefined,
  )
}

/** Operations and statuses with compared headers and bodies. */
const answered = new Set<string>()

/** The server answers these below the router, for any path. Other tests provoke them (broken-request, transport). */
const belowRouter: readonly ProblemCode[] = ['request_timeout', 'head_too_large']

const named = codes.filter((code) => placesOf(code).length > 0 && !belowRouter.includes(code))

test.each(named)('the example of %s is what the service says', async (code) => {
  if (code === 'https_required' && outerAddress() === null) return
  const replies: Reply[] = []
  for (const at of placesOf(code)) {
    const reply = await provocations[code](at)
    if (reply === null) continue
    replies.push(reply)
    const where = `${at.method} ${at.path}: ${reply.text}`
    const { type, title, status } = problemExample(code) as Record<string, unknown>
    expect(reply.status, where).toBe(status)
    expect(reply.headers['content-type'], where).toBe('application/problem+json')
    expect(reply.json(), where).toMatchObject({ type, title, status, code })
    expect(reply.headers['request-id'], where).toBe(reply.json()['request_id'])
    // The description does not contain methods that a path does not take.
    if (code !== 'method_not_allowed')
      expect(headerFaults(at.operation, reply, { isSecure: code !== 'https_required' }), where).toEqual([])
    answered.add(`${at.operation.operationId} ${String(status)}`)
  }
  const said = replies.map((reply) => withIdsOfExample(reply.json()))
  expect(said).toContainEqual(problemExample(code))
})

test('every code of the list is answered by some endpoint, or has none yet', () => {
  const withoutEndpoint: readonly ProblemCode[] = belowRouter
  const unnamed = codes.filter((code) => !named.includes(code))
  expect(unnamed.filter((code) => !withoutEndpoint.includes(code))).toEqual([])
})

test('every status of every operation was answered, but faults of those that ask nobody', () => {
  const problems = operations.flatMap(({ operation }) =>
    Object.keys(operation.responses)
      .filter((status) => Number(status) >= 400)
      .map((status) => `${operation.operationId} ${status}`),
  )
  const cannotFail = operations
    .filter(({ usesStore }) => !usesStore)
    .map(({ operation }) => `${operation.operationId} 500`)
  const below = new RegExp(` (?:${belowRouter.map((code) => problemCodes[code].status).join('|')})$`)
  expect(
    problems.filter((one) => !answered.has(one) && !cannotFail.includes(one) && !below.test(one)),
  ).toEqual([])
})

/** Ids are new with every call. The test compares everything else of an example. */
function withIdsOfExample(problem: Record<string, unknown>): Record<string, unknown> {
  const example = problemExample(problem['code'] as ProblemCode) as Record<string, unknown>
  const ids = ['request_id', 'report_id'].filter((name) => name in problem && name in example)
  return { ...problem, ...Object.fromEntries(ids.map((name) => [name, example[name]])) }
}
