/** The thread that reads uploaded files: in the main thread, a file of a mebibyte would delay every call of the process. */
import { serveOrders, standBack } from '@cupel/kit/concurrency'
import { joinResults, type JoinedFile } from './join-results.js'
import { readUpload, type BulkFormResult, type Upload } from './read-upload.js'

export type BulkOrder =
  | { readonly kind: 'read'; readonly upload: Upload }
  /** `table`: the results of a job as CSV. */
  | { readonly kind: 'join'; readonly content: Upload['content']; readonly table: string }

standBack()
serveOrders<BulkOrder, BulkFormResult | JoinedFile>((order) =>
  Promise.resolve(order.kind === 'read' ? readUpload(order.upload) : joinResults(order.content, order.table)),
)
