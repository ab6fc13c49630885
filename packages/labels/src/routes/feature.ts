/** Every endpoint of labels and their lists. */
import type { Endpoint } from '@cupel/gate/http'
import { demoEndpoints } from './demo/index.js'
import type { ListImportParts } from './list-imports/import-description.js'
import { listImportEndpoints } from './list-imports/index.js'
import { listLists, type Lists } from './lists/list-lists.js'
import { ownLabelEndpoints } from './own-labels/index.js'
import { searchLabelsEndpoint } from './search/search-labels.js'

interface Parts {
  readonly lists: Lists
  readonly listImports: ListImportParts
}

export const labelsFeature = ({ lists, listImports }: Parts): readonly Endpoint[] => [
  listLists(lists),
  searchLabelsEndpoint(listImports),
  ...ownLabelEndpoints(listImports),
  ...listImportEndpoints(listImports),
  ...demoEndpoints(listImports),
]
