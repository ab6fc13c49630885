/** Imports of lists by operators. */
import type { Endpoint } from '@cupel/gate/http'
import { addListImportPart, checkListImport, confirmListImport } from './change-import.js'
import { createListImport } from './create-import.js'
import type { ListImportParts } from './import-description.js'
import { listListRefreshes, refreshList } from './list-refreshes.js'
import { getListImport, listListImports } from './read-imports.js'

export const listImportEndpoints = (parts: ListImportParts): readonly Endpoint[] => [
  createListImport(parts),
  listListImports(parts),
  getListImport(parts),
  addListImportPart(parts),
  checkListImport(parts),
  confirmListImport(parts),
  listListRefreshes(parts),
  refreshList(parts),
]
