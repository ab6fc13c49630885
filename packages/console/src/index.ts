export type { LabelList, ListPage, ReportPage, Watch } from './api/answers.js'
export { type ApiClient, queryText } from './api/api-client.js'
export { type ApiConnection, createApiConnection } from './api/api-connection.js'
export { ApiDown, ApiProblem, nullWhereRefused } from './api/api-problem.js'
export type { InboxEntry, UnreadCount } from './api/inbox-answers.js'
export { Amount } from './components/amount.js'
export { ChainAndReference } from './components/chain-and-reference.js'
export { DataTable } from './components/data-table.js'
export { FieldList } from './components/field-list.js'
export { Form } from './components/form.js'
export { Level } from './components/level.js'
export { Moment } from './components/moment.js'
export { Notice } from './components/notice.js'
export { Pager } from './components/pager.js'
export { ReportTable } from './components/report-table.js'
export { ScrollTable } from './components/scroll-table.js'
export { FLOW_LIFETIME_SECONDS, createFlowSeal } from './oidc/flow-cookie.js'
export { openSignInService } from './oidc/open-sign-in-service.js'
export { SignInFault, type SignInFaultKind } from './oidc/sign-in-fault.js'
export {
  CALLBACK_PATH,
  type FinishedFlow,
  type SignInService,
  createSignInService,
} from './oidc/sign-in-service.js'
export { buildWebApp } from './server/app.js'
export { type Asset, loadAssets, stylesInOrder } from './server/assets.js'
export { attemptKey } from './server/attempt-key.js'
export { MAX_FORM_BYTES } from './server/form.js'
export {
  type HomeCard,
  type Page,
  type PageAnswer,
  type PageCall,
  type RawAnswer,
  type ReportPanel,
  type Redirect,
  type ShownPage,
  fieldOf,
  page,
  raw,
  redirect,
} from './server/page.js'
export { returnPath } from './session/return-path.js'
export { mayAdminister, mayChange, mayOperate } from './session/rights.js'
export { type Session, csrfToken, flowCookie, readFlow, sessionCookie } from './session/session-cookie.js'
export { showOnce, takeOnce } from './session/shown-once.js'
