/** Words of java-tron that its answers and those of TronGrid share. */

/** Words for the outcome of a transaction (protocol buffers of java-tron, `Transaction.Result.contractResult`). */
export const tronFailures: readonly string[] = [
  ...['REVERT', 'BAD_JUMP_DESTINATION', 'OUT_OF_MEMORY', 'PRECOMPILED_CONTRACT', 'STACK_TOO_SMALL'],
  ...['STACK_TOO_LARGE', 'ILLEGAL_OPERATION', 'STACK_OVERFLOW', 'OUT_OF_ENERGY', 'OUT_OF_TIME'],
  ...['JVM_STACK_OVER_FLOW', 'UNKNOWN', 'TRANSFER_FAILED', 'INVALID_CODE'],
]

/** Contracts that move no coins between accounts: freezing, voting, resources, permissions, and assets of their own. */
export const stillTronContracts: ReadonlySet<string> = new Set([
  ...['AccountCreateContract', 'AccountUpdateContract', 'SetAccountIdContract', 'VoteWitnessContract'],
  ...['WitnessCreateContract', 'WitnessUpdateContract', 'VoteAssetContract', 'AssetIssueContract'],
  ...['TransferAssetContract', 'UnfreezeAssetContract', 'UpdateAssetContract'],
  ...['FreezeBalanceContract', 'UnfreezeBalanceContract', 'FreezeBalanceV2Contract'],
  ...['UnfreezeBalanceV2Contract', 'WithdrawExpireUnfreezeContract', 'CancelAllUnfreezeV2Contract'],
  ...['DelegateResourceContract', 'UnDelegateResourceContract', 'AccountPermissionUpdateContract'],
  ...['ProposalCreateContract', 'ProposalApproveContract', 'ProposalDeleteContract'],
  ...['UpdateSettingContract', 'UpdateEnergyLimitContract', 'ClearABIContract', 'UpdateBrokerageContract'],
])
