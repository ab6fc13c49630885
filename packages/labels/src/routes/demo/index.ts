/** GET and POST /v1/demo: made-up labels and transfers of addresses that nobody can own, for a first look. */
import { demoAddresses } from '@cupel/domain'
import { orderDemo, readDemoState, type DemoState } from '../../index.js'
import type { Database } from '@cupel/postgres'
import { z } from 'zod'
import { jsonAnswer, keyedEndpoint, type Endpoint, statuses } from '@cupel/gate/http'
import { importAuthor, importRefusal, LIST_IMPORTS } from '../list-imports/import-description.js'

const demoComponent = z
  .object({
    status: z.string().describe('off, loading, on or removing.'),
    fault: z.string().nullable().describe('Why the last change came to nothing; null if it did not.'),
    addresses: z
      .array(z.object({ address: z.string(), title: z.string() }).meta({ id: 'DemoAddress' }))
      .describe('The addresses of the demo, those to begin with first.'),
  })
  .meta({ id: 'Demo' })

const documentOf = (state: DemoState): z.infer<typeof demoComponent> => ({
  ...state,
  addresses: demoAddresses.map((one) => ({ ...one })),
})

const described = (status: number, description: string, demo: DemoState['status']) => ({
  ...{ status, description, contentType: 'application/json', schema: demoComponent },
  example: documentOf({ status: demo, fault: null }),
})

export const demoEndpoints = ({ database }: { readonly database: Database }): readonly Endpoint[] => [
  keyedEndpoint({
    operationId: 'getDemo',
    method: 'GET',
    path: '/v1/demo',
    tag: LIST_IMPORTS,
    summary: 'See whether the demo is on',
    description:
      'While the demo is on, a few addresses that nobody can own have made-up labels and transfers. A report that rests on them has `demo: true` and is never green; no other address is affected.',
    access: 'read-only',
    answers: [described(statuses.ok, 'The state of the demo.', 'off')],
    problems: ['unavailable'],
    async handle() {
      return jsonAnswer(statuses.ok, JSON.stringify(documentOf(await readDemoState(database))))
    },
  }),
  keyedEndpoint<undefined, undefined, { readonly is_on: boolean }>({
    operationId: 'changeDemo',
    method: 'POST',
    path: '/v1/demo',
    tag: LIST_IMPORTS,
    summary: 'Turn the demo on or off',
    description:
      'Read the demo until its status is `on` or `off`. After its removal nothing of it is believed. For operators: all accounts share the labels.',
    access: 'operator',
    bodySchema: z.strictObject({ is_on: z.boolean() }).meta({ id: 'DemoChangeRequest' }),
    bodyExample: { is_on: true },
    answers: [described(statuses.accepted, 'The change is ordered.', 'loading')],
    problems: ['import_conflict', 'unavailable'],
    async handle(call, { body }) {
      const state = await orderDemo(database, { isOn: body.is_on, by: importAuthor(call) })
      return typeof state === 'string'
        ? importRefusal(state)
        : jsonAnswer(statuses.accepted, JSON.stringify(documentOf(state)))
    },
  }),
]
