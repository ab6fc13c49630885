/** Lists that are refreshed on a schedule, through the same importer as an operator's files. */
export { labelRefreshMigrations } from './migrations.js'
export {
  parseRefreshPlan,
  readRefreshPlan,
  RefreshPlanError,
  type Place,
  type RefreshedList,
} from './refresh-plan.js'
export { enterLists, listStatuses, type ListStatus } from './schedule.js'
export {
  announceLists,
  refreshDue,
  startRefreshes,
  type RefreshesDeps,
  type RefreshRun,
  type RunningRefreshes,
} from './run-refreshes.js'
