/** The thread that reads uploaded files: in the main thread, a file of a mebibyte would delay every call of the process. */
import { serveOrders, standBack } from '@cupel/concurrency'
import { readUpload, type BulkFormResult, type Upload } from './read-upload.js'

standBack()
serveOrders<Upload, BulkFormResult>((upload) => Promise.resolve(readUpload(upload)))
