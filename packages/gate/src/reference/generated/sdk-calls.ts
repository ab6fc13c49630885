// Generated from the conformance cases of the SDKs by `npm run generate`. Do not edit.

interface SdkCall {
  readonly typescript: string
  readonly python: string
  /** It is read item by item. */
  readonly isList: boolean
}

export const sdkCalls: Readonly<Record<string, SdkCall>> = {
  "createScreen": {
    "typescript": "screen('0x098B716B8Aaf21512996dC57EB0615e2383E2f96')",
    "python": "screen('0x098B716B8Aaf21512996dC57EB0615e2383E2f96')",
    "isList": false
  },
  "createTransfer": {
    "typescript": "transfers.screen({ chain: 'ETH', direction: 'incoming', from: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', to: '0x00000000219ab540356cBB839Cbe05303d7705Fa', asset: 'USDT', amount: '250.5' }, { waitSeconds: 5 })",
    "python": "transfers.screen({'chain': 'ETH', 'direction': 'incoming', 'from': '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', 'to': '0x00000000219ab540356cBB839Cbe05303d7705Fa', 'asset': 'USDT', 'amount': '250.5'}, wait_seconds=5)",
    "isList": false
  },
  "listTransfers": {
    "typescript": "transfers.list({ recommendation: 'review', level: 'grey', reference: 'deposit 7', pageSize: 7 })",
    "python": "transfers.list(recommendation='review', level='grey', reference='deposit 7', page_size=7)",
    "isList": true
  },
  "getTransfer": {
    "typescript": "transfers.get('9f2c4a1be07d6358')",
    "python": "transfers.get('9f2c4a1be07d6358')",
    "isList": false
  },
  "getReport": {
    "typescript": "reports.get('9f2c4a1be07d6358')",
    "python": "reports.get('9f2c4a1be07d6358')",
    "isList": false
  },
  "getReportPdf": {
    "typescript": "reports.pdf('9f2c4a1be07d6358')",
    "python": "reports.pdf('9f2c4a1be07d6358')",
    "isList": false
  },
  "getReportProof": {
    "typescript": "reports.proof('9f2c4a1be07d6358')",
    "python": "reports.proof('9f2c4a1be07d6358')",
    "isList": false
  },
  "listReports": {
    "typescript": "reports.list({ address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', level: 'red', disposition: 'escalated', pageSize: 7 })",
    "python": "reports.list(address='0x098B716B8Aaf21512996dC57EB0615e2383E2f96', level='red', disposition='escalated', page_size=7)",
    "isList": true
  },
  "createReportShare": {
    "typescript": "reports.share('9f2c4a1be07d6358', { expiresInHours: 24, label: 'the bank' })",
    "python": "reports.share('9f2c4a1be07d6358', expires_in_hours=24, label='the bank')",
    "isList": false
  },
  "listReportShares": {
    "typescript": "reports.shares('9f2c4a1be07d6358')",
    "python": "reports.shares('9f2c4a1be07d6358')",
    "isList": true
  },
  "revokeReportShare": {
    "typescript": "reports.revokeShare('9f2c4a1be07d6358', 'share_1')",
    "python": "reports.revoke_share('9f2c4a1be07d6358', 'share_1')",
    "isList": false
  },
  "getReportCase": {
    "typescript": "cases.get('9f2c4a1be07d6358')",
    "python": "cases.get('9f2c4a1be07d6358')",
    "isList": false
  },
  "getReportCaseProof": {
    "typescript": "cases.proof('9f2c4a1be07d6358')",
    "python": "cases.proof('9f2c4a1be07d6358')",
    "isList": false
  },
  "addReportNote": {
    "typescript": "cases.addNote('9f2c4a1be07d6358', 'Asked the customer.', { version: 1 })",
    "python": "cases.add_note('9f2c4a1be07d6358', 'Asked the customer.', version=1)",
    "isList": false
  },
  "setReportDisposition": {
    "typescript": "cases.setDisposition('9f2c4a1be07d6358', { disposition: 'cleared', reason: 'Own wallet.', version: 1 })",
    "python": "cases.set_disposition('9f2c4a1be07d6358', disposition='cleared', reason='Own wallet.', version=1)",
    "isList": false
  },
  "listReportCases": {
    "typescript": "cases.list({ disposition: 'open' })",
    "python": "cases.list(disposition='open')",
    "isList": true
  },
  "listCaseAssignees": {
    "typescript": "cases.assignees()",
    "python": "cases.assignees()",
    "isList": true
  },
  "assignReportCase": {
    "typescript": "cases.assign('9f2c4a1be07d6358', { assignee: '8f2k1m0a', person: 'Ann', dueOn: '2026-12-01', version: 1 })",
    "python": "cases.assign('9f2c4a1be07d6358', assignee='8f2k1m0a', person='Ann', due_on='2026-12-01', version=1)",
    "isList": false
  },
  "attachCaseFile": {
    "typescript": "cases.attach('9f2c4a1be07d6358', await readFile('file'), { name: 'agreement.txt' })",
    "python": "cases.attach('9f2c4a1be07d6358', Path('file').read_bytes(), name='agreement.txt')",
    "isList": false
  },
  "getCaseFile": {
    "typescript": "cases.file('9f2c4a1be07d6358', 3)",
    "python": "cases.file('9f2c4a1be07d6358', 3)",
    "isList": false
  },
  "getCaseDossier": {
    "typescript": "cases.dossier('9f2c4a1be07d6358')",
    "python": "cases.dossier('9f2c4a1be07d6358')",
    "isList": false
  },
  "openJobCases": {
    "typescript": "bulk.openCases('job_01a1fed9e82c711a83efefd02af5ded7', { level: 'red', text: 'Red in the monthly check.' })",
    "python": "bulk.open_cases('job_01a1fed9e82c711a83efefd02af5ded7', level='red', text='Red in the monthly check.')",
    "isList": false
  },
  "createBulkJob": {
    "typescript": "bulk.submit([{ address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', reference: 'order-1' }, { address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain: 'BSC', reference: 'order-2' }, 'nonsense'], { name: 'Customers of November' })",
    "python": "bulk.submit([{'address': '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', 'reference': 'order-1'}, {'address': '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', 'chain': 'BSC', 'reference': 'order-2'}, 'nonsense'], name='Customers of November')",
    "isList": false
  },
  "listBulkJobs": {
    "typescript": "bulk.list({ pageSize: 10 })",
    "python": "bulk.list(page_size=10)",
    "isList": true
  },
  "getBulkJob": {
    "typescript": "bulk.get('job_019aa5c87f0070008000000000000001')",
    "python": "bulk.get('job_019aa5c87f0070008000000000000001')",
    "isList": false
  },
  "getBulkPdf": {
    "typescript": "bulk.pdf('job_019aa5c87f0070008000000000000001')",
    "python": "bulk.pdf('job_019aa5c87f0070008000000000000001')",
    "isList": false
  },
  "cancelBulkJob": {
    "typescript": "bulk.cancel('job_019aa5c87f0070008000000000000001')",
    "python": "bulk.cancel('job_019aa5c87f0070008000000000000001')",
    "isList": false
  },
  "listBulkResults": {
    "typescript": "bulk.results('job_019aa5c87f0070008000000000000001', { pageSize: 1 })",
    "python": "bulk.results('job_019aa5c87f0070008000000000000001', page_size=1)",
    "isList": true
  },
  "createWatches": {
    "typescript": "watches.create([{ address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain: 'eth', threshold: 5, until: '2027-01-01T00:00:00Z' }])",
    "python": "watches.create([{'address': '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', 'chain': 'eth', 'threshold': 5, 'until': '2027-01-01T00:00:00Z'}])",
    "isList": false
  },
  "listWatches": {
    "typescript": "watches.list({ pageSize: 10, changedIn: '2026-11-25' })",
    "python": "watches.list(page_size=10, changed_in='2026-11-25')",
    "isList": true
  },
  "getWatch": {
    "typescript": "watches.get('wat_0a1b2c3d4e5f60718293')",
    "python": "watches.get('wat_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "removeWatch": {
    "typescript": "watches.delete('wat_0a1b2c3d4e5f60718293')",
    "python": "watches.delete('wat_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "listInboxEntries": {
    "typescript": "inbox.list({ pageSize: 10, show: 'unread', kind: 'watch_failed', level: 'red' })",
    "python": "inbox.list(page_size=10, show='unread', kind='watch_failed', level='red')",
    "isList": true
  },
  "getUnreadCount": {
    "typescript": "inbox.unread()",
    "python": "inbox.unread()",
    "isList": false
  },
  "markInboxEntries": {
    "typescript": "inbox.mark(['3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c'], { read: false })",
    "python": "inbox.mark(['3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c'], read=False)",
    "isList": false
  },
  "createWebhookEndpoint": {
    "typescript": "webhookEndpoints.create({ url: 'https://hooks.example.com/cupel', payload: 'thin', events: ['report.changed'] })",
    "python": "webhook_endpoints.create(url='https://hooks.example.com/cupel', payload='thin', events=['report.changed'])",
    "isList": false
  },
  "listWebhookEndpoints": {
    "typescript": "webhookEndpoints.list()",
    "python": "webhook_endpoints.list()",
    "isList": true
  },
  "getWebhookEndpoint": {
    "typescript": "webhookEndpoints.get('we_0a1b2c3d4e5f60718293')",
    "python": "webhook_endpoints.get('we_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "changeWebhookEndpoint": {
    "typescript": "webhookEndpoints.update('we_0a1b2c3d4e5f60718293', { status: 'disabled' })",
    "python": "webhook_endpoints.update('we_0a1b2c3d4e5f60718293', status='disabled')",
    "isList": false
  },
  "deleteWebhookEndpoint": {
    "typescript": "webhookEndpoints.delete('we_0a1b2c3d4e5f60718293')",
    "python": "webhook_endpoints.delete('we_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "rotateWebhookSecret": {
    "typescript": "webhookEndpoints.rotateSecret('we_0a1b2c3d4e5f60718293')",
    "python": "webhook_endpoints.rotate_secret('we_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "sendWebhookTest": {
    "typescript": "webhookEndpoints.test('we_0a1b2c3d4e5f60718293')",
    "python": "webhook_endpoints.test('we_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "listWebhookDeliveries": {
    "typescript": "webhookEndpoints.deliveries('we_0a1b2c3d4e5f60718293', { status: 'held' })",
    "python": "webhook_endpoints.deliveries('we_0a1b2c3d4e5f60718293', status='held')",
    "isList": true
  },
  "getWebhookDelivery": {
    "typescript": "webhookEndpoints.delivery('we_0a1b2c3d4e5f60718293', '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c')",
    "python": "webhook_endpoints.delivery('we_0a1b2c3d4e5f60718293', '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c')",
    "isList": false
  },
  "redeliverWebhook": {
    "typescript": "webhookEndpoints.redeliver('we_0a1b2c3d4e5f60718293', '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c')",
    "python": "webhook_endpoints.redeliver('we_0a1b2c3d4e5f60718293', '3f0f6e2a-9c51-5a0e-8b6e-0c8d6f7a1b2c')",
    "isList": false
  },
  "redeliverWebhooks": {
    "typescript": "webhookEndpoints.redeliverMissed('we_0a1b2c3d4e5f60718293', { since: '2026-11-20T00:00:00Z', statuses: ['exhausted'] })",
    "python": "webhook_endpoints.redeliver_missed('we_0a1b2c3d4e5f60718293', since='2026-11-20T00:00:00Z', statuses=['exhausted'])",
    "isList": false
  },
  "listLists": {
    "typescript": "lists.list()",
    "python": "lists.list()",
    "isList": true
  },
  "searchLabels": {
    "typescript": "lists.labels({ source: 's', dataset: 'd', category: 'scam', entity: 'a', address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain: 'ETH' })",
    "python": "lists.labels(source='s', dataset='d', category='scam', entity='a', address='0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain='ETH')",
    "isList": true
  },
  "stateOwnLabel": {
    "typescript": "ownLabels.state({ address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain: 'ETH', decision: 'block', category: 'scam', reason: 'It took deposits.', expiresAt: '2027-01-01T00:00:00Z' })",
    "python": "own_labels.state(address='0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain='ETH', decision='block', category='scam', reason='It took deposits.', expires_at='2027-01-01T00:00:00Z')",
    "isList": false
  },
  "listOwnLabels": {
    "typescript": "ownLabels.list({ address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain: 'ETH', pageSize: 7 })",
    "python": "own_labels.list(address='0x098B716B8Aaf21512996dC57EB0615e2383E2f96', chain='ETH', page_size=7)",
    "isList": true
  },
  "getOwnLabel": {
    "typescript": "ownLabels.get('lbl_0a1b2c3d4e5f60718293')",
    "python": "own_labels.get('lbl_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "removeOwnLabel": {
    "typescript": "ownLabels.remove('lbl_0a1b2c3d4e5f60718293')",
    "python": "own_labels.remove('lbl_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "createListImport": {
    "typescript": "listImports.create({ format: 'csv', dataset: 'mine', source: 'my_list', listDate: '2026-11-20' })",
    "python": "list_imports.create(format='csv', dataset='mine', source='my_list', list_date='2026-11-20')",
    "isList": false
  },
  "listListImports": {
    "typescript": "listImports.list({ pageSize: 7 })",
    "python": "list_imports.list(page_size=7)",
    "isList": true
  },
  "getListImport": {
    "typescript": "listImports.get('lio_0a1b2c3d4e5f60718293')",
    "python": "list_imports.get('lio_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "addListImportPart": {
    "typescript": "listImports.addPart('lio_0a1b2c3d4e5f60718293', 0, await readFile('file'))",
    "python": "list_imports.add_part('lio_0a1b2c3d4e5f60718293', 0, Path('file').read_bytes())",
    "isList": false
  },
  "checkListImport": {
    "typescript": "listImports.check('lio_0a1b2c3d4e5f60718293')",
    "python": "list_imports.check('lio_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "confirmListImport": {
    "typescript": "listImports.confirm('lio_0a1b2c3d4e5f60718293', { acceptRemovals: 87, reason: 'delisted' })",
    "python": "list_imports.confirm('lio_0a1b2c3d4e5f60718293', accept_removals=87, reason='delisted')",
    "isList": false
  },
  "listListRefreshes": {
    "typescript": "lists.refreshes()",
    "python": "lists.refreshes()",
    "isList": true
  },
  "refreshList": {
    "typescript": "lists.refresh('sdn')",
    "python": "lists.refresh('sdn')",
    "isList": false
  },
  "getLedgerState": {
    "typescript": "ledger.get()",
    "python": "ledger.get()",
    "isList": false
  },
  "listLedgerImports": {
    "typescript": "ledger.imports({ chain: 'ETH', pageSize: 7 })",
    "python": "ledger.imports(chain='ETH', page_size=7)",
    "isList": true
  },
  "getPolicy": {
    "typescript": "policy.get()",
    "python": "policy.get()",
    "isList": false
  },
  "tryPolicy": {
    "typescript": "policy.whatIf({ id: 'default', version: 2, levels: { orange: 25, red: 80 } }, { maxReports: 20 })",
    "python": "policy.what_if({'id': 'default', 'version': 2, 'levels': {'orange': 25, 'red': 80}}, max_reports=20)",
    "isList": false
  },
  "listPolicyActivations": {
    "typescript": "policy.activations()",
    "python": "policy.activations()",
    "isList": true
  },
  "listApiKeys": {
    "typescript": "keys.list({ accountId: 'acc_5f1c0a2b9d3e4f60718a', livemode: false, pageSize: 7 })",
    "python": "keys.list(account_id='acc_5f1c0a2b9d3e4f60718a', livemode=False, page_size=7)",
    "isList": true
  },
  "createApiKey": {
    "typescript": "keys.create({ scope: 'read-only', allowedIps: ['203.0.113.0/24'], webhookAdmin: false, expiresAt: '2027-11-21T09:00:00Z', accountId: 'acc_5f1c0a2b9d3e4f60718a' })",
    "python": "keys.create(scope='read-only', allowed_ips=['203.0.113.0/24'], webhook_admin=False, expires_at='2027-11-21T09:00:00Z', account_id='acc_5f1c0a2b9d3e4f60718a')",
    "isList": false
  },
  "getApiKey": {
    "typescript": "keys.get('8f2k1m0a')",
    "python": "keys.get('8f2k1m0a')",
    "isList": false
  },
  "changeApiKey": {
    "typescript": "keys.update('8f2k1m0a', { scope: 'read-only', reason: 'it only reads' })",
    "python": "keys.update('8f2k1m0a', scope='read-only', reason='it only reads')",
    "isList": false
  },
  "rotateApiKey": {
    "typescript": "keys.rotate('8f2k1m0a', { overlapHours: 2, reason: 'one year old' })",
    "python": "keys.rotate('8f2k1m0a', overlap_hours=2, reason='one year old')",
    "isList": false
  },
  "revokeApiKey": {
    "typescript": "keys.revoke('8f2k1m0a', { reason: 'it was printed' })",
    "python": "keys.revoke('8f2k1m0a', reason='it was printed')",
    "isList": false
  },
  "proposeChange": {
    "typescript": "proposedChanges.propose({ issue_key: { scope: 'read-only' }, reason: 'the new service' })",
    "python": "proposed_changes.propose({'issue_key': {'scope': 'read-only'}, 'reason': 'the new service'})",
    "isList": false
  },
  "listProposedChanges": {
    "typescript": "proposedChanges.list({ show: 'open', changeKind: 'activate_policy' })",
    "python": "proposed_changes.list(show='open', change_kind='activate_policy')",
    "isList": true
  },
  "getProposedChange": {
    "typescript": "proposedChanges.get('chg_0a1b2c3d4e5f60718293')",
    "python": "proposed_changes.get('chg_0a1b2c3d4e5f60718293')",
    "isList": false
  },
  "decideProposedChange": {
    "typescript": "proposedChanges.decide('chg_0a1b2c3d4e5f60718293', 'confirm')",
    "python": "proposed_changes.decide('chg_0a1b2c3d4e5f60718293', 'confirm')",
    "isList": false
  },
  "listAccounts": {
    "typescript": "accounts.list()",
    "python": "accounts.list()",
    "isList": true
  },
  "createAccount": {
    "typescript": "accounts.create('Example Exchange', { reason: 'contract 117' })",
    "python": "accounts.create('Example Exchange', reason='contract 117')",
    "isList": false
  },
  "getPeople": {
    "typescript": "accounts.people()",
    "python": "accounts.people()",
    "isList": false
  },
  "getUsage": {
    "typescript": "usage()",
    "python": "usage()",
    "isList": false
  },
  "listKeyUsageDays": {
    "typescript": "usageDays({ to: '2026-12-01', pageSize: 7 })",
    "python": "usage_days(to='2026-12-01', page_size=7)",
    "isList": true
  },
  "listAuditLog": {
    "typescript": "auditLog.list({ keyId: '8f2k1m0a' })",
    "python": "audit_log.list(key_id='8f2k1m0a')",
    "isList": true
  },
  "getLogCheckpoint": {
    "typescript": "log.checkpoint()",
    "python": "log.checkpoint()",
    "isList": false
  },
  "getLogTile": {
    "typescript": "log.tile('entries/x001/234.p/8')",
    "python": "log.tile('entries/x001/234.p/8')",
    "isList": false
  },
  "getInstallationHealth": {
    "typescript": "installationHealth()",
    "python": "installation_health()",
    "isList": false
  },
  "listChains": {
    "typescript": "chains.list()",
    "python": "chains.list()",
    "isList": true
  }
}
