/** A UDP name server that answers A and AAAA as a test sets, with a time to live of 0. Format: RFC 1035, section 4. */
import { createSocket } from 'node:dgram'
import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

export interface NameServer {
  readonly address: string
  /** The questions so far, such as `A receiver.example`. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

const TYPES: Readonly<Record<number, 'A' | 'AAAA'>> = { 1: 'A', 28: 'AAAA' }

export async function startNameServer(
  answer: (name: string, type: 'A' | 'AAAA') => readonly string[] | 'silence' | 'servfail',
): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (query, peer) => {
    const { name, end } = readName(query)
    const type = TYPES[query.readUInt16BE(end)]
    if (type === undefined) return
    asked.push(`${type} ${name}`)
    const addresses = answer(name, type)
    if (addresses === 'silence') return
    const fitting = addresses === 'servfail' ? [] : addresses.filter((one) => isIPv4(one) === (type === 'A'))
    const head = Buffer.from(query.subarray(0, end + 4))
    head.writeUInt16BE(addresses === 'servfail' ? 0x8182 : 0x8180, 2)
    head.writeUInt16BE(fitting.length, 6)
    head.writeUInt16BE(0, 8)
    head.writeUInt16BE(0, 10)
    const records = fitting.map((one) => {
      const data = Buffer.from(ipaddr.parse(one).toByteArray())
      const fixed = Buffer.from([0xc0, 12, 0, query.readUInt16BE(end), 0, 1, 0, 0, 0, 0, 0, data.length])
      return Buffer.concat([fixed, data])
    })
    socket.send(Buffer.concat([head, ...records]), peer.port, peer.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  }
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at]!; length !== 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.'), end: at + 1 }
}
