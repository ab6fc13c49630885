/** Every endpoint of the API. The server serves this list, and the API description is derived from it. */
import { describeApi, type Endpoint } from '@cupel/gate/http'
import {
  getDocs,
  getOpenapi,
  getPostmanCollection,
  getProblemPage,
  listChains,
  postmanCollection,
  problemPages,
  renderReferencePage,
  searchPages,
} from '@cupel/gate/reference'
import { createKeptDocuments } from '@cupel/reports/routes'
import { webhooksInOrder } from '@cupel/webhooks/routes'
import { appendices, features, ownLabelFollowers, type FeatureParts } from './features.js'

export type EndpointParts = Omit<FeatureParts, 'appendices' | 'keptDocuments' | 'ownLabelFollowers'>

export function endpointsOf(parts: EndpointParts): readonly Endpoint[] {
  const described = once(() => describeApi(endpoints, webhooksInOrder))
  const searched = once(() => searchPages(described()))
  const problems = once(() => problemPages(described()))
  const texts = keptTexts()
  const all = {
    ...parts,
    ownLabelFollowers,
    keptDocuments: createKeptDocuments(),
    appendices,
  }
  const endpoints: readonly Endpoint[] = [
    ...features.flatMap((endpointsOfFeature) => endpointsOfFeature(all)),
    listChains(parts.listing.tokens),
    getOpenapi(() => texts('/openapi.json', () => JSON.stringify(described()))),
    getPostmanCollection(() => texts('/postman.json', () => JSON.stringify(postmanCollection(described())))),
    getDocs((words) =>
      words === '' ? texts('/docs', () => renderReferencePage(described())) : searched()(words),
    ),
    getProblemPage((code) => texts(`/problems/${code}`, () => problems()(code))),
  ]
  return endpoints
}

function once<Made>(make: () => Made): () => Made {
  let made: { readonly value: Made } | null = null
  return () => (made ??= { value: make() }).value
}

/** Texts that strangers may ask for at any rate: each is made once, and kept as the bytes that are sent. */
function keptTexts(): (path: string, make: () => string) => Uint8Array {
  const kept = new Map<string, Uint8Array>()
  return (path, make) => {
    const bytes = kept.get(path) ?? Buffer.from(make())
    kept.set(path, bytes)
    return bytes
  }
}
