// Makes the Grafana boards of deploy/observability/boards from the panels of each. All boards have the same time range, refresh and data
// source, so this file lists only their differences.
const seconds =
  (metric, labels = '') =>
  (quantile) =>
    `histogram_quantile(${quantile}, sum by (le) (rate(cupel_${metric}_bucket${labels}[$__rate_interval])))`
const quantiles = (of) => [
  ['p50', of(0.5)],
  ['p95', of(0.95)],
  ['p99', of(0.99)],
]
const perSecond = (metric, by, labels = '') =>
  `sum by (${by}) (rate(cupel_${metric}${labels}[$__rate_interval]))`
/** Node.js measures the time between samples, ten a second (EVENT_LOOP_LOOK_MS of service-kit): an idle process would show 100 ms. */
const beyondLook = (metric) => `clamp_min(${metric} - 0.1, 0)`
const SCREEN = '{method="POST",route="/v1/screen"}'

/** Each panel has a title, a unit of Grafana, and queries with their legends. */
const boards = {
  service: {
    title: 'Cupel: services',
    panels: [
      [
        'Checks that fail',
        'short',
        [['{{service}} {{check}} {{instance}}', 'cupel_service_check_passes == 0']],
      ],
      [
        'Processors used',
        'short',
        [['{{service}}', 'sum by (service) (rate(process_cpu_seconds_total[$__rate_interval]))']],
      ],
      ['Memory', 'bytes', [['{{service}} {{instance}}', 'process_resident_memory_bytes']]],
      [
        'Event loop lag, p99',
        's',
        [['{{service}} {{instance}}', beyondLook('nodejs_eventloop_lag_p99_seconds')]],
      ],
      ['Calls by status', 'reqps', [['{{status}}', perSecond('http_request_seconds_count', 'status')]]],
      ['Time of calls', 's', quantiles(seconds('http_request_seconds'))],
      [
        'Calls refused at the gate',
        'reqps',
        [['{{reason}}', perSecond('admission_refusals_total', 'reason')]],
      ],
      ['Time of the gate’s statements', 's', quantiles(seconds('admission_seconds'))],
      [
        'Connections dropped',
        'reqps',
        [['dropped', 'sum(rate(cupel_http_connections_dropped_total[$__rate_interval]))']],
      ],
      ['Bytes of unfinished bodies', 'bytes', [['{{instance}}', 'cupel_http_body_bytes']]],
      ['Pages of the console', 's', quantiles(seconds('web_request_seconds'))],
      ['Clock behind the database', 's', [['{{service}} {{instance}}', 'cupel_clock_skew_seconds']]],
      ['Free on the volume', 'bytes', [['{{instance}}', 'cupel_disk_free_bytes']]],
    ],
  },
  screening: {
    title: 'Cupel: screening',
    panels: [
      [
        'Requests that wait for a scorer',
        'short',
        [['{{lane}}', 'sum by (lane) (cupel_scorer_lag_records)']],
      ],
      ['Screens by outcome', 'reqps', [['{{outcome}}', perSecond('api_screens_total', 'outcome')]]],
      ['Time of screens', 's', quantiles(seconds('http_request_seconds', SCREEN))],
      ['Levels', 'reqps', [['{{level}}', perSecond('scorer_reports_total', 'level')]]],
      ['From append to report', 's', quantiles(seconds('api_screen_dwell_seconds'))],
      [
        'From acceptance to decision, interactive',
        's',
        quantiles(seconds('scorer_dwell_seconds', '{lane="interactive"}')),
      ],
      ['Screens waited for', 'short', [['{{instance}}', 'cupel_api_pending_screens']]],
      ['Oldest screen waited for', 's', [['{{instance}}', 'cupel_api_oldest_pending_seconds']]],
      ['Requests decided together', 'short', quantiles(seconds('scorer_batch_requests'))],
      ['Look-up of labels', 's', quantiles(seconds('scorer_label_query_seconds'))],
      ['Decisions of a batch', 's', quantiles(seconds('scorer_decide_seconds'))],
      [
        'Addresses looked for in the ledger',
        'reqps',
        [['{{status}}', perSecond('scorer_exposure_total', 'status')]],
      ],
      [
        'Deferred and given up',
        'reqps',
        [
          ['deferred', 'sum(rate(cupel_scorer_deferred_total[$__rate_interval]))'],
          ['given up', 'sum(rate(cupel_scorer_given_up_total[$__rate_interval]))'],
        ],
      ],
    ],
  },
  'bulk-and-webhooks': {
    title: 'Cupel: bulk jobs and webhooks',
    panels: [
      ['Open jobs', 'short', [['jobs', 'sum(cupel_bulk_open_jobs)']]],
      ['Items waiting', 'short', [['items', 'sum(cupel_bulk_waiting_items)']]],
      [
        'Items under way, and the window',
        'short',
        [
          ['under way', 'sum(cupel_bulk_under_way_items)'],
          ['window', 'sum(cupel_bulk_window_items)'],
        ],
      ],
      ['Items ended', 'reqps', [['items', 'sum(rate(cupel_bulk_items_ended_total[$__rate_interval]))']]],
      ['Jobs ended', 'reqps', [['jobs', 'sum(rate(cupel_bulk_jobs_ended_total[$__rate_interval]))']]],
      ['Attempts by outcome', 'reqps', [['{{outcome}}', perSecond('webhook_attempts_total', 'outcome')]]],
      ['Time of attempts', 's', quantiles(seconds('webhook_attempt_seconds'))],
      ['Deliveries by status', 'short', [['{{status}}', 'sum by (status) (cupel_webhook_deliveries)']]],
      ['Oldest delivery', 's', [['{{instance}}', 'cupel_webhook_oldest_seconds']]],
    ],
  },
  'log-and-projections': {
    title: 'Cupel: log and projections',
    panels: [
      ['Records behind', 'short', [['{{read_model}}', 'max by (read_model) (cupel_projection_lag_records)']]],
      ['Stopped', 'short', [['{{read_model}}', 'max by (read_model) (cupel_projection_stopped)']]],
      ['Records applied', 'reqps', [['{{read_model}}', perSecond('projection_records_total', 'read_model')]]],
      ['Time of a transaction', 's', quantiles(seconds('projection_batch_seconds'))],
      [
        'Failures tried again',
        'reqps',
        [['{{read_model}}', perSecond('projection_retries_total', 'read_model')]],
      ],
      ['Outbox: waiting', 'short', [['{{instance}}', 'cupel_outbox_waiting_events']]],
      ['Outbox: oldest', 's', [['{{instance}}', 'cupel_outbox_oldest_seconds']]],
      ['Dead letters', 'short', [['{{group}}', 'sum by (group) (cupel_dead_letters_total)']]],
      [
        'Forged records',
        'short',
        [['{{topic}} {{forgery}}', 'sum by (topic, forgery) (cupel_log_forged_records_total)']],
      ],
      [
        'Records with new leaves',
        'reqps',
        [['records', 'sum(rate(cupel_transparency_leaves_total[$__rate_interval]))']],
      ],
      ['Transparency log stopped', 'short', [['{{instance}}', 'cupel_transparency_stopped']]],
      ['Age of the last cosigned checkpoint', 's', [['age', 'min(cupel_transparency_cosigned_age_seconds)']]],
      [
        'Failures of witnesses',
        'reqps',
        [['{{witness}} {{reason}}', perSecond('transparency_witness_failures_total', 'witness, reason')]],
      ],
    ],
  },
  lists: {
    title: 'Cupel: label lists and chain data',
    panels: [
      ['Why nothing is green', 'short', [['{{reason}}', 'max by (reason) (cupel_label_lists_block_green)']]],
      ['Age of lists', 's', [['{{list}}', 'max by (list) (cupel_label_list_age_seconds)']]],
      ['Since the last refresh', 's', [['{{list}}', 'max by (list) (cupel_label_refresh_age_seconds)']]],
      [
        'Refreshes by outcome',
        'short',
        [['{{list}} {{outcome}}', 'sum by (list, outcome) (increase(cupel_label_refreshes_total[1d]))']],
      ],
      ['Label view behind', 's', [['{{instance}}', 'cupel_scorer_label_lag_seconds']]],
      [
        'Questions to providers',
        'reqps',
        [['{{provider}} {{outcome}}', perSecond('chain_data_questions_total', 'provider, outcome')]],
      ],
      ['Time of providers', 's', quantiles(seconds('chain_data_question_seconds'))],
      [
        'Providers not called after failures',
        'short',
        [['{{provider}}', 'max by (provider) (cupel_chain_data_circuit_open)']],
      ],
      [
        'Followers behind their nodes',
        'short',
        [['{{chain}}', 'max by (chain) (cupel_ledger_follower_lag_blocks)']],
      ],
      [
        'Blocks imported by followers, in a minute',
        'short',
        [['{{chain}}', '60 * max by (chain) (rate(cupel_ledger_follower_next_height[5m]))']],
      ],
      ['Followers that stopped', 'short', [['{{chain}}', 'max by (chain) (cupel_ledger_follower_stopped)']]],
    ],
  },
}

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }
const [COLUMNS, WIDTH, HEIGHT] = [2, 12, 8]

function boardOf(uid, { title, panels }) {
  return {
    uid: `cupel-${uid}`,
    title,
    tags: ['cupel'],
    schemaVersion: 39,
    editable: true,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map((panel, index) => panelOf(panel, index)),
  }
}

function panelOf([title, unit, queries], index) {
  const x = (index % COLUMNS) * WIDTH
  const y = Math.floor(index / COLUMNS) * HEIGHT
  return {
    id: index + 1,
    title,
    type: 'timeseries',
    datasource: DATASOURCE,
    gridPos: { x, y, w: WIDTH, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: queries.map(([legendFormat, expr], target) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + target),
      datasource: DATASOURCE,
      expr,
      legendFormat,
    })),
  }
}

/** @returns {Record<string, string>} the text of each file, relative to the checkout */
export function boardFiles() {
  return Object.fromEntries(
    Object.entries(boards).map(([uid, board]) => [
      `deploy/observability/boards/${uid}.json`,
      `${JSON.stringify(boardOf(uid, board), null, 2)}\n`,
    ]),
  )
}
