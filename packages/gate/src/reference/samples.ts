/** How a program makes a call: with curl, and with the SDKs where they have a method for it. */
import type { Entry } from './description.js'
import { sdkCalls } from './generated/sdk-calls.js'

export interface Sample {
  readonly language: 'curl' | 'TypeScript' | 'Python'
  readonly code: string
}

/** None for a message: the service sends it. */
export function samplesOf(entry: Entry): readonly Sample[] {
  if (!entry.path.startsWith('/')) return []
  const call = sdkCalls[entry.operation.operationId]
  const curl: Sample = { language: 'curl', code: curlOf(entry) }
  if (call === undefined) return [curl]
  // A list is read item by item.
  const { typescript, python, isList } = call
  return [
    curl,
    {
      language: 'TypeScript',
      code: `import { Cupel } from '@cupel/sdk'\n\nconst cupel = new Cupel()\n${
        isList
          ? `for await (const item of cupel.${typescript}) console.log(item)`
          : `console.log(await cupel.${typescript})`
      }`,
    },
    {
      language: 'Python',
      code: `from cupel import Cupel\n\nwith Cupel() as cupel:\n    ${
        isList ? `for item in cupel.${python}:\n        print(item)` : `print(cupel.${python})`
      }`,
    },
  ]
}

/** Values of the parameters of paths. */
export const pathExamples: Readonly<Record<string, string>> = {
  report_id: '622f9400217f0c00',
  earlier_id: '622f9400217f0bff',
  transfer_id: '622f9400217f0c00',
  job_id: 'job_019aa5c87f0070008000000000000001',
  watch_id: 'wat_0a1b2c3d4e5f60718293',
  endpoint_id: 'we_0a1b2c3d4e5f60718293',
  delivery_id: '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c',
  tile: '0/000',
  version: '3',
  code: 'invalid_address',
  share_id: 'share_1',
  import_id: 'lio_0a1b2c3d4e5f60718293',
  label_id: 'lbl_0a1b2c3d4e5f60718293',
  change_id: 'chg_0a1b2c3d4e5f60718293',
  key_id: '8f2k1m0a',
  token: 'cpl_share_…',
  link: 'u-…',
}

function curlOf({ method, path, operation }: Entry): string {
  const { security, parameters = [], requestBody, responses } = operation
  const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => pathExamples[name] ?? whole)
  const needed = parameters.filter((one) => one.in === 'query' && one.required === true)
  const query = needed.map(({ name }) => `${name}=…`).join('&')
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.keys(content))
  const isFile = types.some((type) => /pdf|octet-stream/.test(type))
  const body = requestBody?.content['application/json']?.example
  const parts = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$CUPEL_BASE_URL${filled}${query === '' ? '' : `?${query}`}"`,
    ...(security?.length === 0 ? [] : ['-H "Authorization: Bearer $CUPEL_API_KEY"']),
    ...(body === undefined
      ? []
      : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`]),
    ...(isFile ? ['-o file'] : []),
  ]
  return parts.join(' \\\n  ')
}

/** As one word of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
