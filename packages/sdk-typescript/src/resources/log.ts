import { documentOf, type Download } from '../answers.js'
import { tilePath } from '../path.js'
import type { CallOptions } from '../transport/call.js'
import type { Transport } from '../transport/transport.js'

/** The transparency log, for readers that keep its checkpoints and compare them. */
export class Log {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** The last signed checkpoint, a signed note of C2SP. Keep its bytes. */
  async checkpoint(options: CallOptions = {}): Promise<Download> {
    const call = {
      method: 'GET',
      path: '/v1/log/checkpoint',
      accept: 'text/plain',
      repeat: 'safe',
      options,
    } as const
    return documentOf(await this.#transport(call), /^text\/plain\b/i)
  }

  /** A tile as C2SP names it: `0/000`, `1/000.p/3`, `entries/x001/234.p/8`. A tile never changes. */
  async tile(tile: string, options: CallOptions = {}): Promise<Download> {
    const accept = 'application/octet-stream'
    const call = { method: 'GET', path: tilePath(tile), accept, repeat: 'safe', options } as const
    return documentOf(await this.#transport(call), /^application\/octet-stream\b/i)
  }
}
