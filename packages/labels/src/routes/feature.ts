/** Every endpoint of labels and their lists. */
import type { Endpoint } from '@cupel/gate/http'
import type { OwnLabelFollower } from '../index.js'
import { demoEndpoints } from './demo/index.js'
import type { ListImportParts } from './list-imports/import-description.js'
import { listImportEndpoints } from './list-imports/index.js'
import { listLists, type Lists } from './lists/list-lists.js'
import { ownLabelEndpoints } from './own-labels/index.js'
import { searchLabelsEndpoint } from './search/search-labels.js'

interface Parts {
  readonly lists: Lists
  readonly listImports: ListImportParts
  readonly ownLabelFollowers: readonly OwnLabelFollower[]
}

export const labelsFeature = ({ lists, listImports, ownLabelFollowers }: Parts): readonly Endpoint[] => [
  listLists(lists),
  searchLabelsEndpoint(listImports),
  ...ownLabelEndpoints({ ...listImports, ownLabelFollowers }),
  ...listImportEndpoints(listImports),
  ...demoEndpoints(listImports),
]
