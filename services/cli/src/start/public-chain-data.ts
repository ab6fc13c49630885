/** `--public-chain-data`: prints every public endpoint, then allows the services to query them. */
import { configOf, type CliContext } from '@cupel/command-line'

/** The same context with public endpoints allowed. */
export async function withPublicChainData(context: CliContext): Promise<CliContext> {
  const { describePublicChainData } = await import('@cupel/screening/worker')
  context.note(
    'These public endpoints learn the addresses that you screen, except on chains that your own providers cover:',
  )
  for (const endpoint of await describePublicChainData()) context.note(`  ${endpoint}`)
  const environment = { ...context.environment, CUPEL_CHAIN_DATA_PUBLIC: 'true' }
  return { ...context, environment, config: () => configOf(environment) }
}
