/** The statement that writes a watch, with this SQL for the time at which it is due. */
export const watchedRow = (dueAt: string): string =>
  `INSERT INTO watches.watch (watch_id, account_id, livemode, address, canonical_address, chain, candidate_chains, lookup_key,
     report_page_url, threshold_hundredths, created_at, due_at)
   VALUES ('wat_1', 'acc_1', true, '0x1', '0x1', 'ETH', '["ETH"]', '0x1', 'https://console.example/reports/', 500, now(), ${dueAt})`
