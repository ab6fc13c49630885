/** Calls a method of the SDK with the name, arguments and options of a case, in snake_case. */
import type * as Sdk from '../src/index.js'

export interface Invocation {
  readonly call: string
  readonly args: readonly unknown[]
  /** The options of the case, and those that the runner adds under their SDK names. */
  readonly options: Readonly<Record<string, unknown>>
}

type Anything = Record<string, (...args: unknown[]) => unknown>

export function invoke(sdk: typeof Sdk, make: () => Sdk.Cupel, { call, args, options }: Invocation): unknown {
  const last = Object.fromEntries(Object.entries(options).map(([key, value]) => [camel(key), value]))
  if (call === 'proofs.verify') return provenIn(sdk, args.map(argument), last)
  if (call === 'records.verify')
    return new sdk.RecordVerifier(last as unknown as Sdk.RecordVerifierOptions).verify(
      recordOf(args[0] as object),
    )
  const [target, name] = methodOf(sdk, make, call)
  const given = args.map(argument)
  return target[name]!(...given, ...(WITH_FIELDS.has(call) ? fieldsAndOptions(last) : [last]))
}

/** Methods that take their fields as a separate argument, before the options of the call. */
const WITH_FIELDS = new Set([
  ...['webhook_endpoints.create', 'webhook_endpoints.update', 'cases.set_disposition'],
  ...['cases.assign', 'bulk.open_cases'],
  ...['keys.create', 'keys.update', 'list_imports.create'],
])
const CALL_OPTIONS = ['timeoutMs', 'maxRetries', 'signal']

function fieldsAndOptions(all: Record<string, unknown>): [object, object] {
  const entries = Object.entries(all)
  const isOption = ([name]: [string, unknown]): boolean => CALL_OPTIONS.includes(name)
  return [
    Object.fromEntries(entries.filter((entry) => !isOption(entry))),
    Object.fromEntries(entries.filter(isOption)),
  ]
}

function methodOf(sdk: typeof Sdk, make: () => Sdk.Cupel, call: string): [Anything, string] {
  const [first, second] = call.split('.').map(camel)
  if (first === 'webhooks') return [sdk.webhooks as unknown as Anything, second!]
  const client = make() as unknown as Anything
  if (second === undefined) return [client, first!]
  return [(client as unknown as Record<string, Anything>)[first!]!, second]
}

function argument(value: unknown): unknown {
  const { base64, object } = (value ?? {}) as { base64?: string; object?: unknown }
  if (base64 !== undefined) return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return object ?? value
}

/** The result has the names of the cases, which are those of JSON. */
async function provenIn(sdk: typeof Sdk, [report, proof]: unknown[], options: object): Promise<object> {
  const given = [report, proof, options] as Parameters<typeof sdk.verifyProof>
  const { leafHash, keyId, customerReference, entries, ...proven } = await sdk.verifyProof(...given)
  return {
    ...{ ...proven, leaf_hash: leafHash, key_id: keyId, customer_reference: customerReference },
    entries: entries.map(({ keyId: key_id, previousDisposition, proposalVersion, ...entry }) => ({
      ...{ ...entry, key_id, previous_disposition: previousDisposition, proposal_version: proposalVersion },
    })),
  }
}

function recordOf({ headers, ...fields }: { readonly headers?: object }): Sdk.ReceivedRecord {
  const given = (values: object): [string, unknown][] =>
    Object.entries(values).map(([name, value]) => [name, argument(value)])
  const record = { ...Object.fromEntries(given(fields)), headers: Object.fromEntries(given(headers ?? {})) }
  return record as unknown as Sdk.ReceivedRecord
}

export const camel = (name: string): string =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
