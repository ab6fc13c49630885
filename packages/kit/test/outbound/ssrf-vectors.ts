/**
 * URLs and name server answers that lead inside: the cases of Smokescreen and Svix, the special-purpose registries of IANA at
 * both ends of every range, spellings of numbers that some parser accepts as an address, and answers that mix inside and outside.
 */

export interface Vector {
  readonly what: string
  /** `PORT` stands for the port of the listener. */
  readonly url: string
  /** The name server's answers for the name in the URL. Successive look-ups get successive answers; the last one repeats for ever. */
  readonly answers?: readonly (readonly string[])[]
}

/** First and last address of each range, and one between. */
const V4_INSIDE = [
  ...['0.0.0.0', '0.0.0.1', '0.255.255.255', '10.0.0.0', '10.0.0.1', '10.128.3.4', '10.255.255.255'],
  ...['100.64.0.0', '100.64.0.1', '100.100.100.200', '100.127.255.255'],
  ...['127.0.0.0', '127.0.0.1', '127.0.0.2', '127.0.1.1', '127.1.1.1', '127.127.127.127', '127.255.255.255'],
  ...['168.63.129.16', '169.254.0.0', '169.254.0.1', '169.254.169.254', '169.254.170.2', '169.254.255.255'],
  ...['172.16.0.0', '172.16.0.1', '172.17.0.1', '172.20.10.5', '172.31.255.255'],
  ...['192.0.0.0', '192.0.0.1', '192.0.0.8', '192.0.0.170', '192.0.0.192', '192.0.0.255'],
  ...['192.0.2.0', '192.0.2.1', '192.0.2.255', '192.31.196.1', '192.52.193.1', '192.88.99.0', '192.88.99.1'],
  ...['192.168.0.0', '192.168.0.1', '192.168.1.254', '192.168.255.255', '192.175.48.1'],
  ...['198.18.0.0', '198.18.0.1', '198.19.255.255', '198.51.100.0', '198.51.100.7', '198.51.100.255'],
  ...[
    '203.0.113.0',
    '203.0.113.5',
    '203.0.113.255',
    '224.0.0.0',
    '224.0.0.1',
    '232.1.2.3',
    '239.255.255.255',
  ],
  ...['240.0.0.0', '240.0.0.1', '250.1.2.3', '255.0.0.1', '255.255.255.254', '255.255.255.255'],
]
const V6_INSIDE = [
  ...['::', '::1', '::2', '::7f00:1', '::127.0.0.1', '::10.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  ...[
    '::ffff:10.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:8.8.8.8',
    '::ffff:0:127.0.0.1',
    '::ffff:0:8.8.8.8',
  ],
  ...['64:ff9b::', '64:ff9b::127.0.0.1', '64:ff9b::169.254.169.254', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  ...['64:ff9b:1:ffff:ffff:ffff:7f00:1', '100::', '100::1', '100:0:0:1::1', '200::1', '400::1', '1000::1'],
  ...['2001::', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:1::1', '2001:2::1', '2001:3::1'],
  ...[
    '2001:4:112::1',
    '2001:5::1',
    '2001:10::1',
    '2001:1f:ffff::1',
    '2001:20::1',
    '2001:2f::1',
    '2001:30::1',
  ],
  ...['2001:1ff:ffff::1', '2001:db8::', '2001:db8::1', '2001:db8:ffff::1', '2002::', '2002:7f00:1::1'],
  ...['2002:a00:1::', '2002:a9fe:a9fe::1', '2002:c0a8:101::', '2002:808:808::1', '2620:4f:8000::1'],
  ...[
    '3fff::1',
    '3fff:fff::1',
    '4000::1',
    '5f00::1',
    '5f00:1:2:3::4',
    '8000::1',
    'c000::1',
    'e000::1',
    'f000::1',
  ],
  ...['fc00::', 'fc00::1', 'fd00::1', 'fd00:ec2::254', 'fd12:3456:789a:1::1', 'fdff:ffff::1'],
  ...['fe00::1', 'fe80::', 'fe80::1', 'fe80::a9fe:a9fe', 'febf:ffff::1', 'fec0::', 'fec0::1', 'feff::1'],
  ...['ff00::', 'ff01::1', 'ff02::1', 'ff02::2', 'ff05::1:3', 'ff0e::1', 'ffff::1'],
]

/** Spellings of 127.0.0.1 and 169.254.169.254 that some reader of URLs accepts. */
const SPELLINGS = [
  ...['127.1', '127.0.1', '0177.0.0.1', '0177.0.0.01', '0x7f.0.0.1', '0x7f.1', '0x7F000001', '2130706433'],
  ...[
    '017700000001',
    '0x7f.0x0.0x0.0x1',
    '00127.0.0.1',
    '0127.0.0.1',
    '127.0.0.1.',
    '127.000.000.001',
    '0',
    '0.0',
    '00',
  ],
  ...[
    '0x0',
    '0x00000000',
    '127.0.0.0x1',
    '127.0x1',
    '0x7f.0.1',
    '017700000001.',
    '2130706433.',
    '0x7f000001.',
  ],
  ...[
    '2852039166',
    '0xa9fea9fe',
    '0xA9.0xFE.0xA9.0xFE',
    '0251.0376.0251.0376',
    '169.254.43518',
    '169.16689662',
  ],
  ...[
    '0251.254.169.254',
    '0xa9.254.0251.254',
    '025177524776',
    '169.254.169.254.',
    '2852039166.',
    '3232235777',
    '167772161',
  ],
  ...[
    '%31%32%37.0.0.1',
    '127%2e0%2e0%2e1',
    '127.0.0.1%00',
    '1%32%37.1',
    '%30',
    '127.0.0.1%2f',
    '127.0.0.1%20',
  ],
  ...[
    '4294967296',
    '256.256.256.256',
    '127.0.0.256',
    '0x100000000',
    '1.2.3.4.5',
    '127.0.0.1.1',
    '08.0.0.1',
    '0x',
  ],
  ...['[::1%25lo]', '[::1%lo]', '[fe80::1%25eth0]', '[0:0:0:0:0:0:0:1]', '[0000::0001]', '[::0.0.0.1]'],
  ...[
    '[0:0:0:0:0:ffff:127.0.0.1]',
    '[::FFFF:127.0.0.1]',
    '[::ffff:7f00:0001]',
    '[::ffff:0x7f.0.0.1]',
    '[127.0.0.1]',
  ],
]

/** IDN and look-alikes: digits and full stops of other scripts, which Unicode normalisation turns into plain ones. */
const LOOK_ALIKES = [
  '①②⑦.⓪.⓪.①',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0．0．1',
  '127｡0｡0｡1',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌｏｃａｌｈｏｓｔ',
  'localhoſt',
  '⑯⑨。②⑤④。⑯⑨｡②⑤④',
  '0x7f。1',
  '𝟏𝟐𝟕.𝟎.𝟎.𝟏',
  '127.0.0.1\u00ad',
  '127\u200b.0.0.1',
]

/** Whole URLs that parsers split in different ways. */
const CONFUSIONS = [
  'https://example.org@127.0.0.1:PORT/',
  'https://user:password@127.0.0.1:PORT/',
  'https://127.0.0.1:PORT@example.org/',
  'https://@127.0.0.1:PORT/',
  'https://example.org:443@127.0.0.1:PORT/',
  'https://example.org%40127.0.0.1:PORT/',
  'https://127.0.0.1:PORT\\@example.org/',
  'https://example.org\\@127.0.0.1:PORT/',
  'https:\\\\127.0.0.1:PORT\\',
  'https:127.0.0.1:PORT/',
  'https:/127.0.0.1:PORT/',
  'https:///127.0.0.1:PORT/',
  'https:////127.0.0.1:PORT/',
  '//127.0.0.1:PORT/',
  '/127.0.0.1:PORT/',
  '127.0.0.1:PORT/',
  ' https://127.0.0.1:PORT/',
  'https://127.0.0.1:PORT/ ',
  'https://127.0.0.1\t:PORT/',
  'https://127.0.0.1\n:PORT/',
  'ht\ntps://127.0.0.1:PORT/',
  'https://127.0.0.1:PORT/\r\nHost: example.org',
  'https://127.0.0.1:PORT#@example.org/',
  'https://127.0.0.1:PORT?@example.org/',
  'https://127.0.0.1:PORT/#@example.org/',
  'https://example.org#@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT/',
  'http://example.org/',
  'HTTP://127.0.0.1:PORT/',
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'file://127.0.0.1/etc/passwd',
  'gopher://127.0.0.1:PORT/_GET',
  'dict://127.0.0.1:PORT/',
  'ldap://127.0.0.1:PORT/',
  'ws://127.0.0.1:PORT/',
  'wss://127.0.0.1:PORT/',
  'unix:///var/run/docker.sock',
  'data:text/plain,x',
  'javascript:alert(1)',
  'blob:https://127.0.0.1:PORT/x',
  'https://',
  'https://:PORT/',
  'https://?',
  'https://[/',
  'https://[::1/',
  'https://::1:PORT/',
  'https://example.org:0/',
  'https://example.org:65536/',
  'https://example.org:22/',
  'https://example.org:25/',
  'https://example.org:80/',
  'https://example.org:5432/',
  'https://example.org:9092/',
  'https://localhost:PORT/',
  'https://localhost.:PORT/',
  'https://LOCALHOST:PORT/',
  'https://foo.localhost:PORT/',
  'https://foo.localhost.:PORT/',
  `https://example.org/${'x'.repeat(2_048)}`,
  '',
]

const OUTSIDE = '93.184.215.14'
const OUTSIDE_V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'
const MIXED: readonly Vector[] = [
  ...[
    '127.0.0.1',
    '10.0.0.1',
    '169.254.169.254',
    '::1',
    'fd00::1',
    '::ffff:127.0.0.1',
    '64:ff9b::7f00:1',
  ].flatMap((inside) => [
    {
      what: `a name with ${inside} behind an outside address`,
      url: NAME_URL(),
      answers: [[OUTSIDE, inside]],
    },
    {
      what: `a name with ${inside} before an outside address`,
      url: NAME_URL(),
      answers: [[inside, OUTSIDE]],
    },
    {
      what: `a name with ${inside} with an outside IPv6 address`,
      url: NAME_URL(),
      answers: [[OUTSIDE_V6, inside]],
    },
    {
      what: `a name with ${inside} last of many`,
      url: NAME_URL(),
      answers: [[...Array.from({ length: 7 }, (_, index) => `93.184.215.${index + 1}`), inside]],
    },
  ]),
  { what: 'a name without addresses', url: NAME_URL(), answers: [[]] },
  {
    what: 'a name with more addresses than a receiver has',
    url: NAME_URL(),
    answers: [Array.from({ length: 40 }, (_, index) => `93.184.215.${index + 1}`)],
  },
]

function NAME_URL(): string {
  return 'https://receiver.example:PORT/hook'
}

const host = (address: string): string => (address.includes(':') ? `[${address}]` : address)

export const vectors: readonly Vector[] = [
  ...[...V4_INSIDE, ...V6_INSIDE].flatMap((address) => [
    { what: `${address} written out`, url: `https://${host(address)}:PORT/hook` },
    { what: `a name that resolves to ${address}`, url: NAME_URL(), answers: [[address]] },
  ]),
  ...SPELLINGS.map((spelling) => ({
    what: `${spelling} as host`,
    url: `https://${spelling}:PORT/`,
    answers: [['127.0.0.1']],
  })),
  ...LOOK_ALIKES.map((text) => ({
    what: `${text} as host`,
    url: `https://${text}:PORT/`,
    answers: [['127.0.0.1']],
  })),
  ...CONFUSIONS.map((url) => ({ what: JSON.stringify(url.slice(0, 60)), url, answers: [['127.0.0.1']] })),
  ...MIXED,
]

/** Addresses and URLs that must get through: a filter that refuses everything would pass all of the above. */
export const OUTSIDE_ADDRESSES = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '93.184.215.14', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0'],
  ...[
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
  ],
  ...['198.51.101.0', '203.0.112.255', '203.0.114.0', '223.255.255.255', '168.63.129.15'],
  ...[
    '2606:4700:4700::1111',
    '2001:4860:4860::8888',
    '2001:200::1',
    '2003::1',
    '2600::1',
    '2a00:1450:4001:80b::200e',
    '3ffe::1',
  ],
]
