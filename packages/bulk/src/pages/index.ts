/** Jobs of many addresses: upload, progress, results. */
import type { Page } from '@cupel/console'
import { cancelJob } from './cancel-job.js'
import { downloadJoined } from './download-joined.js'
import { openCases } from './open-cases.js'
import { downloadCsv, downloadJson, downloadPdf, downloadWorkbook } from './download-results.js'
import { followJob } from './follow-job.js'
import { listJobs } from './list-jobs.js'
import { newJob } from './new-job.js'
import { previewJob } from './preview-job.js'
import { showJob } from './show-job.js'
import { submitJob } from './submit-job.js'
import { watchResults } from './watch-results.js'

export const bulkPages: readonly Page[] = [
  ...[listJobs, newJob, previewJob, submitJob],
  ...[showJob, cancelJob, followJob, downloadCsv, downloadJson, downloadPdf, downloadJoined, openCases],
  ...[watchResults, downloadWorkbook],
]
