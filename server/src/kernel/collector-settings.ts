// The settings of the collector: how it reaches monitored servers and what reading them may take.
import type { Setting } from './settings.ts';

export const collecting = [
  {
    key: 'collector.connect_timeout_seconds',
    type: 'integer',
    default: 5,
    minimum: 1,
    maximum: 60,
    description: 'How long to wait for a monitored server to accept a connection.',
  },
  {
    key: 'collector.connects_per_second',
    type: 'integer',
    default: 50,
    minimum: 1,
    maximum: 1000,
    description: 'Most new connections to monitored servers a second.',
  },
  {
    key: 'collector.concurrency',
    type: 'integer',
    default: 64,
    minimum: 1,
    maximum: 10000,
    description: 'Most servers sampled at the same moment.',
  },
  {
    key: 'collector.budget_percent',
    type: 'number',
    default: 0.5,
    minimum: 0.01,
    maximum: 100,
    description:
      'Most of one processor core of a monitored server that reading it may take; dear probes run less often to stay within.',
  },
  {
    key: 'collector.read_logs',
    type: 'boolean',
    default: false,
    description:
      'Read the log files of monitored servers that have the function of the monitoring script; counts and events of classes that matter are kept, with masked texts.',
  },
  {
    key: 'collector.spool_bytes',
    type: 'integer',
    default: 1_073_741_824,
    minimum: 16_777_216,
    maximum: 1_099_511_627_776,
    description:
      'Most disk below data_dir that samples may take while they wait for the datastore; beyond, the oldest are given up, and a known gap says so.',
  },
  {
    key: 'collector.spool_min_free_bytes',
    type: 'integer',
    default: 268_435_456,
    minimum: 0,
    maximum: 1_099_511_627_776,
    description: 'Free disk that waiting samples leave to others: with less, the oldest are given up.',
  },
  {
    key: 'collector.masked_parameters',
    type: 'list',
    form: {
      pattern: /^[.$-]*\w[\w.$*-]*$|^\*[.$*-]*\w[\w.$*-]*$/,
      words:
        'names of parameters with letters, digits, `_`, `.`, `$` or `-`, where `*` stands for any of them',
    },
    description:
      'Further parameters of monitored servers whose values are secrets, such as `app.licence` or `billing.*`: masked wherever settings and statements are kept. Names and values that look like secrets are masked in any case.',
  },
] as const satisfies readonly Setting[];
