/** Why a change of a webhook endpoint is refused, as the error of a command. */
import { CommandError, EXIT_FAILED, EXIT_NOT_FOUND, EXIT_USAGE } from '@cupel/command-line'

export type Refused = { readonly ok: false; readonly code: string; readonly reason?: string }

const refusals: Record<string, { sentence: string; exitCode: number }> = {
  unknown_endpoint: { sentence: 'There is no such webhook endpoint.', exitCode: EXIT_NOT_FOUND },
  unknown_delivery: { sentence: 'The endpoint has no such delivery.', exitCode: EXIT_NOT_FOUND },
  no_secret: { sentence: 'E-mail has no signature, and so no secret.', exitCode: EXIT_FAILED },
  too_many_endpoints: {
    sentence: 'The account has the maximum number of endpoints.',
    exitCode: EXIT_FAILED,
  },
  endpoint_disabled: { sentence: 'The endpoint is disabled: resume it first.', exitCode: EXIT_FAILED },
}

export function refused(result: Refused): CommandError {
  const { sentence, exitCode } = refusals[result.code] ?? {
    sentence: result.reason ?? result.code,
    exitCode: EXIT_USAGE,
  }
  return new CommandError(sentence, exitCode)
}
