/** What the log states of watches. */
import type { EventData } from '@cupel/contracts'
import type { StatedRows, Statement } from '@cupel/projections'

export const statedWatches: StatedRows = {
  tables: {
    'watches.watch': { key: ['watch_id'] },
  },
  events: {
    WatchesCreated: ({ watches, ...call }) => watches.map((watch) => ofWatch(call, watch)),
    WatchRemoved: ({ watchId }) => [{ table: 'watches.watch', key: watchId, next: () => null }],
  },
}

/** A call for an address that is watched already changes the settings of its watch. */
function ofWatch(
  call: Omit<EventData['WatchesCreated'], 'watches'>,
  watch: EventData['WatchesCreated']['watches'][number],
): Statement {
  const settings = {
    ...{ reference: watch.reference, until: watch.until, digest: watch.digest },
    threshold_hundredths: watch.thresholdHundredths,
  }
  const made = {
    ...{ account_id: call.accountId, livemode: call.livemode, report_page_url: call.reportPageUrl },
    ...{ address: watch.address, canonical_address: watch.canonicalAddress, chain: watch.chain },
    ...{ candidate_chains: watch.candidateChains, lookup_key: watch.lookupKey },
  }
  return {
    ...{ table: 'watches.watch', key: watch.watchId },
    next: (before) => ({ ...made, ...before, ...settings }),
  }
}
