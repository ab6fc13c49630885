/** Label files: their formats, the import of a set, and the lists that are refreshed on a schedule. */
export { labelsMigrations } from './migrations.js'
export { labelFormats } from './formats/formats.js'
export { dismissExpectedSets } from './import/expect-sets.js'
export { importLabels } from './import/import-labels.js'
export { importStarterLabels } from './import/starter-labels.js'
export type { LeftOutRows } from './import/left-out-rows.js'
export type {
  LabelImportProgress,
  LabelImportRefused,
  LabelImportRequest,
  LabelImportResult,
  LabelImportSummary,
  SetSummary,
} from './import/import-request.js'
export { readRefreshPlan, RefreshPlanError, type RefreshedList } from './refresh/refresh-plan.js'
export { dueNow, enterLists, listSchedules, listStatuses, type ListStatus } from './refresh/schedule.js'
export {
  addListPart,
  checkListOrder,
  confirmListOrder,
  confirmListOrderIn,
  lockListOrder,
  createListOrder,
  fetchedLists,
  findListOrder,
  listListOrders,
  MAX_OPEN_ORDERS,
  MAX_PART_BYTES,
  type ListOrder,
  type OrderRefusal,
} from './orders/list-order.js'
export { publishedList } from './orders/fetch-order.js'
export { demoImport, orderDemo, readDemoState, type DemoState } from './demo/demo-set.js'
export { runNextOrder, startListOrders } from './orders/run-orders.js'
export {
  announceLists,
  previewRefreshes,
  refreshDue,
  startRefreshes,
  type RefreshRun,
} from './refresh/run-refreshes.js'
export {
  findOwnLabel,
  listOwnLabels,
  MAX_OWN_LABELS,
  ownDecisions,
  removeOwnLabel,
  stateOwnLabel,
  type OwnLabel,
  type OwnLabelFollower,
} from './own/own-labels.js'
export { labelsTables } from './primary-tables.js'
