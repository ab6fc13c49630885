/** Which partitions of the report topic belong to which lane: the lower half to interactive screens, the upper half to bulk. */
import { REPORT_PARTITIONS, reportPartition } from '@cupel/contracts'
import { isReportId } from '@cupel/domain'

const FIRST_BULK_PARTITION = REPORT_PARTITIONS / 2

export function isBulkPartition(partition: number): boolean {
  return partition >= FIRST_BULK_PARTITION
}

export function isBulkReportId(reportId: string): boolean {
  return isReportId(reportId) && isBulkPartition(reportPartition(reportId))
}
